package sandbox

import (
	"errors"
	"fmt"

	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// minLandlock is the version of Landlock from which files can be moved between folders of the data root (Linux 5.19).
const minLandlock = 2

// What every program needs of the machine. Everything else does not exist for it: no home, no state of agentd.
var (
	programDirs = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}
	machineDirs = []string{"/proc", "/sys/devices", "/sys/class", "/sys/block", "/sys/fs/cgroup", "/var/log", "/etc/ld.so.conf.d", "/usr/share"}
	configFiles = []string{
		"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/localtime", "/etc/timezone",
		"/etc/os-release", "/etc/debian_version", "/etc/hostname", "/etc/hosts", "/etc/locale.alias", "/etc/magic", "/etc/mime.types",
	}
	readDevices  = []string{"/dev/zero", "/dev/random", "/dev/urandom"}
	writeDevices = []string{"/dev/null", "/dev/full"}
)

// Rights on files, by the version of Landlock that knows them.
const (
	readFiles  = ll.AccessFSReadFile
	readDirs   = readFiles | ll.AccessFSReadDir
	runFiles   = readFiles | ll.AccessFSExecute
	runDirs    = readDirs | ll.AccessFSExecute
	writeFiles = readFiles | ll.AccessFSWriteFile | ll.AccessFSTruncate
	ownDirs    = readDirs | writeFiles | ll.AccessFSRemoveDir | ll.AccessFSRemoveFile | ll.AccessFSMakeDir | ll.AccessFSMakeReg |
		ll.AccessFSMakeSym | ll.AccessFSMakeFifo | ll.AccessFSMakeSock | ll.AccessFSRefer
	ownFiles = readFiles | writeFiles | runFiles | ll.AccessFSIoctlDev // what makes sense for a file that is no folder
)

// handled is everything that a version of Landlock can restrict, so that all that is not granted is refused.
func handled(version int) ll.RulesetAttr {
	a := ll.RulesetAttr{HandledAccessFS: ll.AccessFSRefer<<1 - 1} // versions 1 and 2
	if version >= 3 {
		a.HandledAccessFS |= ll.AccessFSTruncate
	}
	if version >= 4 {
		a.HandledAccessNet = ll.AccessNetBindTCP | ll.AccessNetConnectTCP
	}
	if version >= 5 {
		a.HandledAccessFS |= ll.AccessFSIoctlDev
	}
	if version >= 6 {
		a.Scoped = ll.ScopeAbstractUnixSocket | ll.ScopeSignal
	}
	return a
}

// restrictFiles leaves the programs of the machine, read and execute, and the data root, read and write: what lies in
// the data root never runs.
func restrictFiles(s spec) error {
	version, err := ll.LandlockGetABIVersion()
	if err != nil || version < minLandlock {
		return fmt.Errorf("the kernel's Landlock is version %d, at least %d is needed", version, minLandlock)
	}
	a := handled(version)
	fd, err := ll.LandlockCreateRuleset(&a, 0)
	if err != nil {
		return fmt.Errorf("make rules for files: %w", err)
	}
	defer unix.Close(fd)
	if err := grantAll(rules{fd, a.HandledAccessFS}, s); err != nil {
		return err
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(fd), 0, 0); errno != 0 {
		return fmt.Errorf("restrict files: %w", errno)
	}
	return nil
}

func grantAll(r rules, s spec) error {
	for rights, paths := range map[uint64][]string{
		runDirs: programDirs, readDirs: machineDirs, readFiles: append(configFiles, readDevices...), writeFiles: writeDevices,
	} {
		for _, p := range paths {
			if err := r.grant(rights, p); err != nil && !errors.Is(err, unix.ENOENT) {
				return err
			}
		}
	}
	// This binary begins anew behind the wall; it is a file, wherever it lies and even if it was replaced meanwhile.
	return errors.Join(r.grant(runFiles, "/proc/self/exe"), r.grant(ownDirs, s.Root), r.grant(ownDirs, s.Scratch))
}

type rules struct {
	fd      int
	handled uint64
}

// grant gives the rights on a file, or on a folder and all beneath it.
func (r rules) grant(rights uint64, path string) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("grant %s: %w", path, err)
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return fmt.Errorf("grant %s: %w", path, err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= ownFiles
	}
	if err := ll.LandlockAddPathBeneathRule(r.fd, &ll.PathBeneathAttr{ParentFd: fd, AllowedAccess: rights & r.handled}, 0); err != nil {
		return fmt.Errorf("grant %s: %w", path, err)
	}
	return nil
}
