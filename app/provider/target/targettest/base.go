package targettest

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// included is what a bare machine of a provider has besides the smallest system.
const included = "systemd,systemd-sysv,dbus,openssh-server,sudo,ca-certificates,iproute2,iputils-ping"

// fetched is what is set up on machines: fetched once, so that a test installs it without waiting for a mirror.
const fetched = "curl nftables fail2ban python3-systemd unattended-upgrades nginx-light docker.io iptables"

// unsafe has dpkg not wait for the disk: what a power cut could damage is made anew.
const unsafe = "force-unsafe-io\n"

// cache is where base systems are kept: they outlive a test run.
const cache = "/var/cache/gatehouse-target"

// Lack says why this computer cannot boot a machine; empty when it can.
func Lack() string {
	if os.Geteuid() != 0 {
		return "booting a machine takes root"
	}
	for _, tool := range []string{"debootstrap", "systemd-nspawn", "ip"} {
		if _, err := exec.LookPath(tool); err != nil {
			return "booting a machine takes " + tool + ": .ci/setup test installs it"
		}
	}
	return ""
}

// Base gives the folder of the base system, and makes it when there is none yet.
func Base() (string, error) {
	suite, mirror, err := source()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(suite + included + fetched + unsafe))
	dir := filepath.Join(cache, suite+"-"+hex.EncodeToString(sum[:4]))
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return "", err
	}
	lock, err := os.OpenFile(dir+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return "", err
	}
	defer func() { _ = lock.Close() }()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", err
	}
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	part := dir + ".part"
	if err := errors.Join(os.RemoveAll(part), makeBase(part, suite, mirror)); err != nil {
		return "", err
	}
	return dir, os.Rename(part, dir)
}

func makeBase(dir, suite, mirror string) error {
	settings := filepath.Join(dir, "etc/dpkg/dpkg.cfg.d")
	if err := os.MkdirAll(settings, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(settings, "unsafe"), []byte(unsafe), 0o644); err != nil {
		return err
	}
	if err := command("debootstrap", "--variant=minbase", "--include="+included, "--components="+components(suite), suite, dir,
		mirror); err != nil {
		return err
	}
	// Host keys are each machine's own.
	keys, err := filepath.Glob(filepath.Join(dir, "etc/ssh/ssh_host_*"))
	if err != nil {
		return err
	}
	for _, key := range keys {
		if err := os.Remove(key); err != nil {
			return err
		}
	}
	get := append([]string{dir, "apt-get", "install", "--download-only", "--yes", "--no-install-recommends"}, strings.Fields(fetched)...)
	return errors.Join(command("chroot", dir, "apt-get", "update"), command("chroot", get...))
}

func components(suite string) string {
	if slices.Contains([]string{"bookworm", "trixie", "forky", "sid"}, suite) {
		return "main"
	}
	return "main,universe"
}

func command(name string, args ...string) error {
	cmd := exec.Command(name, args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		tail := out.Bytes()
		return fmt.Errorf("%s: %w: %s", name, err, tail[max(0, len(tail)-1000):])
	}
	return nil
}

// source is the release of this computer and the mirror that it takes packages from.
func source() (suite, mirror string, err error) {
	release, err := os.ReadFile("/etc/os-release")
	if err != nil {
		return "", "", err
	}
	for line := range strings.Lines(string(release)) {
		if v, found := strings.CutPrefix(strings.TrimSpace(line), "VERSION_CODENAME="); found {
			suite = strings.Trim(v, `"`)
		}
	}
	mirrors, err := mirrors()
	if err != nil || suite == "" || len(mirrors) == 0 {
		return "", "", errors.Join(err, fmt.Errorf("release %q, mirrors %v: cannot tell what to install from", suite, mirrors))
	}
	return suite, mirrors[0], nil
}

// mirrors lists where this computer's package manager looks, the archive before its security updates.
func mirrors() ([]string, error) {
	files, err := filepath.Glob("/etc/apt/sources.list.d/*")
	if err != nil {
		return nil, err
	}
	var all []string
	for _, name := range append([]string{"/etc/apt/sources.list"}, files...) {
		text, err := os.ReadFile(name)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		s := bufio.NewScanner(bytes.NewReader(text))
		for s.Scan() {
			for _, word := range strings.Fields(s.Text()) {
				if u, err := url.Parse(word); err == nil && (u.Scheme == "http" || u.Scheme == "https") && !strings.HasPrefix(s.Text(),
					"#") {
					all = append(all, word)
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b string) int { return strings.Count(a, "security") - strings.Count(b, "security") })
	return slices.Compact(all), nil
}
