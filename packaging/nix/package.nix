# SPDX-License-Identifier: GPL-2.0-only
# nix-build packaging/nix; nix-build packaging/nix --arg withNs3 false
{
  lib,
  stdenv,
  cmake,
  ninja,
  pkg-config,
  protobufc,
  jansson,
  libxml2,
  libyaml,
  uthash,
  xxHash,
  zlib,
  zstd,
  ns-3,
  # nixpkgs marks its ns-3 as broken elsewhere
  withNs3 ? stdenv.hostPlatform.isLinux && stdenv.hostPlatform.isx86_64,
}:

stdenv.mkDerivation {
  pname = "weft";
  version = "0.1.0";

  src = lib.cleanSourceWith {
    src = ../..;
    filter = path: type: lib.cleanSourceFilter path type && baseNameOf path != "build" && baseNameOf path != "out";
  };

  nativeBuildInputs = [
    cmake
    ninja
    pkg-config
    protobufc
  ];
  buildInputs = [
    jansson
    libxml2
    libyaml
    protobufc
    uthash
    xxHash
    zlib
    zstd
  ]
  ++ lib.optional withNs3 ns-3;

  cmakeFlags = [
    (lib.cmakeBool "WEFT_NS3" withNs3)
    (lib.cmakeBool "WEFT_MPI" false)
    (lib.cmakeBool "CCACHE_PROGRAM" false)
  ]
  ++ lib.optional withNs3 (lib.cmakeFeature "NS3_ROOT" "${ns-3}");

  doInstallCheck = true;
  installCheckPhase = ''
    $out/bin/weft run allreduce-clos16 --no-out
  '';

  meta = {
    description = "Packet-level simulator of distributed ML training on RoCE fabrics";
    license = lib.licenses.gpl2Only;
    platforms = lib.platforms.linux;
    mainProgram = "weft";
  };
}
