# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Minimal Debian systems in folders, for the scripts beside this file. Sets here, dir (where systems lie), shared, mirror.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
dir=${WEFT_PLATFORMS:-/var/tmp/weft-platforms}
shared=${WEFT_SHARED:-$here/../shared}
mirror=

die() { # CODE TEXT
    echo "platforms: $2" >&2
    exit "$1"
}

# Ends the script where systems cannot be made.
system_ready() {
    [ "$(id -u)" = 0 ] || die 4 "making a system needs root"
    command -v debootstrap >/dev/null || die 4 "debootstrap is not installed (Debian: debootstrap)"
    if [ -z "$mirror" ]; then
        # shellcheck disable=SC2016 # apt's own variable
        mirror=$(apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | head -n1)
        [ -n "$mirror" ] || die 4 "this machine's sources name no archive of Debian: --mirror URL"
    fi
    mkdir -p "$dir"
}

# A minimal system of a suite, unless it is there.
system_make() { # SUITE ROOT LOG
    [ ! -e "$2/etc/weft-platform" ] || return 0
    rm -rf "$2"
    debootstrap --variant=minbase "$1" "$2" "$mirror" >"$3" 2>&1 || { tail -n3 "$3" && return 1; }
    cp /etc/resolv.conf "$2/etc/resolv.conf"
    # A mirror that is behind has lists that count as expired.
    echo 'Acquire::Check-Valid-Until "false";' >"$2/etc/apt/apt.conf.d/weft-platform"
    touch "$2/etc/weft-platform"
}

# The tracked files of this tree, as they are now.
system_copy() { # FOLDER
    rm -rf "$1"
    mkdir -p "$1"
    git -C "$here" ls-files -z | (cd "$here" && tar c --null --files-from=-) | tar x -C "$1" --no-same-owner
}

# A script of bash, from the input, in the system, as root; nothing that it needs stays mounted. It is read before it
# begins, as a test of it may read the input, too. $shared is /root/shared there; /read-only is a view of /root/weft.
system_run() { # ROOT
    # shellcheck disable=SC2016 # variables of the inner shell
    unshare --mount --pid --fork bash -euc '
        root=$1 shared=$2
        mount --make-rprivate /
        mount -t proc proc "$root/proc"
        mount --rbind /dev "$root/dev"
        mkdir -p "$root/root/shared" "$root/root/weft" "$root/read-only"
        if [ -d "$shared" ]; then mount --bind -o ro "$shared" "$root/root/shared"; fi
        mount --bind "$root/root/weft" "$root/read-only"
        mount -o remount,bind,ro "$root/read-only"
        exec chroot "$root" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
            ${WEFT_JOBS:+WEFT_JOBS=$WEFT_JOBS} bash -euo pipefail -c "$(cat)" </dev/null
    ' system "$1" "$shared"
}
