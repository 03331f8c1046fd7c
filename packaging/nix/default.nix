# SPDX-License-Identifier: GPL-2.0-only
{ pkgs ? import <nixpkgs> { }, ... }@args:
pkgs.callPackage ./package.nix (removeAttrs args [ "pkgs" ])
