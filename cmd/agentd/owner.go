package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// asService is the line that runs a command as the user of the shipped unit, with the vault's key as systemd gives it.
const asService = "systemd-run --quiet --pty --wait --uid=agentd --gid=agentd --property=LoadCredential=vault.key:/etc/agentd/vault.key agentd …"

// ownState refuses to work on the state of another user: files that root makes beside a database keep its owner out.
func ownState(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return nil //nolint:nilerr // whoever opens it says what is wrong
	}
	if is := ownerOf(info); is != os.Geteuid() {
		return fmt.Errorf("the state directory %s belongs to the user %s, and files of another one would keep that user out; nothing was touched.\nRun this as that user. Where systemd holds the vault's key:\n  %s", dir, nameOf(is), asService)
	}
	return nil
}

// ownerOf is the user that a file belongs to.
func ownerOf(info fs.FileInfo) int {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(s.Uid)
	}
	return os.Geteuid()
}

// nameOf is a user's name, or the number of one without.
func nameOf(uid int) string {
	if u, err := user.LookupId(strconv.Itoa(uid)); err == nil {
		return u.Username
	}
	return strconv.Itoa(uid)
}
