"""What is around the binary: the image, the compose file, the scripts, the README's commands."""

import functools
import re
import shutil
import subprocess

import pytest
import yaml

from support.gate import ROOT, binary
from support.timing import SANITIZED, scaled

COMPOSE = ROOT / "docker/compose.yaml"
DOCKERFILE = ROOT / "docker/Dockerfile"
SHELL_SCRIPTS = sorted(p for p in [*(ROOT / "scripts").iterdir(), ROOT / ".ci/run"]
                       if p.is_file() and p.read_text(errors="replace").startswith("#!/usr/bin/env bash"))


def output_of(*command):
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=scaled(30))
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


@functools.cache
def flags_of(*subcommand):
    return set(re.findall(r"--[a-z][a-z-]*", output_of(binary(), *subcommand, "--help")))


def section(name):
    """Packages that scripts/packages.txt lists under [name]."""
    text = (ROOT / "scripts/packages.txt").read_text()
    body = re.search(rf"^\[{name}\]\n(.*?)(?=^\[|\Z)", text, re.MULTILINE | re.DOTALL)[1]
    return [line for line in body.splitlines() if line and not line.startswith("#")]


def rules_of_make():
    """Target -> its command lines."""
    rules, target = {}, None
    for line in (ROOT / "Makefile").read_text().splitlines():
        if head := re.match(r"([a-z-]+):", line):
            target = rules.setdefault(head[1], [])
        elif line.startswith("\t"):
            target.append(line.strip().lstrip("@"))
    return rules


def dockerfile_steps():
    return re.findall(r"^RUN (.*)$", DOCKERFILE.read_text(), re.MULTILINE)


def test_dockerfile_passes_hadolint():
    output_of("hadolint", str(DOCKERFILE))


def test_image_is_built_by_the_steps_of_make_build():
    install, build, image = dockerfile_steps()
    assert install in rules_of_make()["build"]
    assert build == "make build"
    assert image.split()[0].endswith("/scripts/install-deps.sh")


def test_image_runs_the_binary_that_make_build_leaves_as_somebody_else_than_root():
    text = DOCKERFILE.read_text()
    assert "COPY --from=build /src/build/release/kvgate /usr/local/bin/kvgate" in text
    assert re.search(r"^USER [1-9]\d*$", text, re.MULTILINE)
    assert re.search(r'^HEALTHCHECK .*CMD \["kvgate", "health"\]$', text, re.MULTILINE)
    assert re.search(r'^ENTRYPOINT \["kvgate"\]$', text, re.MULTILINE)


def test_environment_of_the_image_is_understood_by_the_gate():
    settings = dict(re.findall(r"^ENV (KVGATE_\w+)=(\S+)$", DOCKERFILE.read_text(), re.MULTILINE))
    assert settings
    command = [binary(), "--print-config"]
    shown = subprocess.run(command, env=settings, capture_output=True, text=True, timeout=scaled(30))
    assert shown.returncode == 0, shown.stderr
    assert yaml.safe_load(shown.stdout)["server"]["host"] == settings["KVGATE_SERVER_HOST"]


@pytest.mark.skipif(SANITIZED, reason="the sanitizers' libraries are no part of the image")
def test_image_has_every_library_that_the_binary_links():
    files = re.findall(r"=> (/\S+)", output_of("ldd", binary()))
    # dpkg knows the files under /usr by the one or the other name.
    names = [name for file in files for name in {file, file.removeprefix("/usr"), f"/usr{file.removeprefix('/usr')}"}]
    found = subprocess.run(["dpkg", "-S", *names], capture_output=True, text=True, timeout=scaled(30)).stdout
    owners = {line.split(":")[0] for line in found.splitlines()}
    assert len(owners) > 3, f"{files}: {found}"
    base = {"libc6", "libgcc-s1"}  # of every Debian image
    assert owners - base == set(section("image")) - {"ca-certificates"}


def test_compose_starts_gate_two_engines_and_prometheus():
    services = yaml.safe_load(COMPOSE.read_text())["services"]
    engines = [name for name, service in services.items() if service.get("command", [""])[0] == "sim"]
    assert len(engines) == 2
    gate = services["gate"]["command"]
    assert gate[gate.index("--engines") + 1] == ",".join(f"http://{name}:8000" for name in engines)
    for service in services.values():
        for volume in service.get("volumes", []):
            assert (COMPOSE.parent / volume.split(":")[0]).is_file()
    build = services["gate"]["build"]
    assert (COMPOSE.parent / build["context"] / build["dockerfile"]).samefile(DOCKERFILE)


def test_compose_names_only_flags_that_exist():
    for name, service in yaml.safe_load(COMPOSE.read_text())["services"].items():
        if service["image"] != "kvgate":
            continue
        command = service["command"]
        known = flags_of("sim") if command[0] == "sim" else flags_of()
        used = {word for word in command if word.startswith("--")}
        assert used and used <= known, name


def test_prometheus_accepts_its_configuration_and_scrapes_what_compose_starts():
    file = ROOT / "docker/prometheus.yml"
    output_of("promtool", "check", "config", str(file))
    targets = {target.split(":")[0] for job in yaml.safe_load(file.read_text())["scrape_configs"]
               for block in job["static_configs"] for target in block["targets"]}
    assert targets == set(yaml.safe_load(COMPOSE.read_text())["services"]) - {"prometheus"}


@pytest.mark.parametrize("script", SHELL_SCRIPTS, ids=lambda path: path.name)
def test_shell_script_parses_and_is_executable(script):
    output_of("bash", "-n", str(script))
    assert script.stat().st_mode & 0o111


@pytest.mark.parametrize("document, at_least", [("README.md", {"run", "test", "build"}), ("CONTRIBUTING.md", {"test"})])
def test_every_make_command_in_a_document_exists(document, at_least):
    text = (ROOT / document).read_text()
    named = set(re.findall(r"(?:^|`)make ([a-z-]+)", text, re.MULTILINE))
    assert at_least <= named <= set(rules_of_make())


def test_every_local_link_in_the_documents_leads_somewhere():
    for document in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
        for link in re.findall(r"\]\((?!https?:)([^)#]+)", document.read_text()):
            assert (document.parent / link).exists(), f"{document.name}: {link}"


def test_every_flag_in_the_readme_exists():
    used = set(re.findall(r"`(--[a-z][a-z-]*)", (ROOT / "README.md").read_text()))
    assert used and used <= flags_of()


def test_boost_packages_do_not_conflict():
    listed = [line.split("#")[0].strip() for line in (ROOT / "scripts/packages.txt").read_text().splitlines()]
    assert "libboost1.81-dev" in listed
    assert not {"libboost-dev", "libboost-all-dev", "libmsgpack-cxx-dev"} & set(listed)


def test_tools_that_tests_call_are_there():
    missing = [tool for tool in ("curl", "wrk", "strace", "promtool", "hadolint") if not shutil.which(tool)]
    assert not missing
