package devpg

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// Account is the user that runs the cluster. Postgres refuses to run as root.
type Account struct {
	UID, GID int
	Switch   bool // we are root and must become somebody else
}

// Unprivileged is who the cluster runs as: ourselves, or, when we are root, the user postgres, else nobody.
func Unprivileged() (Account, error) {
	if os.Geteuid() != 0 {
		return Account{UID: os.Geteuid(), GID: os.Getegid()}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.Atoi(u.Uid)
		gid, err2 := strconv.Atoi(u.Gid)
		if err1 == nil && err2 == nil {
			return Account{UID: uid, GID: gid, Switch: true}, nil
		}
	}
	return Account{}, fmt.Errorf("running as root, and this machine has neither a user postgres nor a user nobody to run Postgres as")
}

// Reaches says whether the account can pass through every folder from the root down to dir.
func (a Account) Reaches(dir string) bool {
	for d := filepath.Clean(dir); ; d = filepath.Dir(d) {
		if st, err := os.Stat(d); err == nil && !a.passes(st) {
			return false
		}
		if d == filepath.Dir(d) {
			return true
		}
	}
}

func (a Account) passes(st os.FileInfo) bool {
	mode := st.Mode().Perm()
	sys, ok := st.Sys().(*syscall.Stat_t)
	switch {
	case ok && int(sys.Uid) == a.UID:
		return mode&0o100 != 0
	case ok && int(sys.Gid) == a.GID:
		return mode&0o010 != 0
	}
	return mode&0o001 != 0
}

func (a Account) credential() *syscall.Credential {
	if !a.Switch {
		return nil
	}
	return &syscall.Credential{Uid: uint32(a.UID), Gid: uint32(a.GID), NoSetGroups: false}
}

func (a Account) own(path string) error {
	if !a.Switch {
		return nil
	}
	return os.Chown(path, a.UID, a.GID)
}
