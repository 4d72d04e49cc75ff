# nix run github:socrates-cli/socrates. The hash is that of `go mod vendor`: a build with a stale one fails and prints the right one.
{
  description = "Coding agent that can convene a panel of models";
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixpkgs-unstable";
  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      each = f: nixpkgs.lib.genAttrs systems (system: f nixpkgs.legacyPackages.${system});
      date = self.lastModifiedDate;
      day = "${builtins.substring 0 4 date}-${builtins.substring 4 2 date}-${builtins.substring 6 2 date}";
    in
    {
      packages = each (pkgs: {
        default = pkgs.buildGoModule {
          pname = "socrates";
          version = "0.1.0";
          src = self;
          vendorHash = "sha256-KX7ylXjmfy/dPddWEcQsdncIoDS7libLhCrfdMOu6Zg=";
          subPackages = [ "." "socrates-hub" "packaging" ];
          env.CGO_ENABLED = 0;
          doCheck = false; # the suite wants namespaces and a terminal: .ci/run
          ldflags = [
            "-s"
            "-w"
            "-X github.com/socrates-cli/socrates/internal/build.version=0.1.0"
            "-X github.com/socrates-cli/socrates/internal/build.commit=${self.rev or "dirty"}"
            "-X github.com/socrates-cli/socrates/internal/build.date=${day}"
          ];
          nativeBuildInputs = [ pkgs.installShellFiles ];
          postInstall = ''
            $out/bin/packaging pages . 0.1.0 ${day}
            rm $out/bin/packaging
            installManPage man/*.1
            installShellCompletion completions/socrates.bash completions/_socrates completions/socrates.fish
          '';
          meta = {
            description = "Coding agent that can convene a panel of models";
            homepage = "https://github.com/socrates-cli/socrates";
            license = pkgs.lib.licenses.mit;
            mainProgram = "socrates";
          };
        };
      });
    };
}
