package main

import (
	"fmt"
	"os"
	"syscall"
)

// tmpfsAt is where Linux keeps files in memory.
const tmpfsAt = "/dev/shm"

// tmpfs is the kernel's number for files that are kept in memory.
const tmpfs = 0x01021994

// onDisk is a folder on a disk that every user may pass. /var/tmp is meant to outlive a restart, so it is no tmpfs.
func onDisk() (string, error) {
	for _, dir := range []string{"/var/tmp", os.TempDir()} {
		if kind, err := fileSystem(dir); err == nil && kind != tmpfs {
			return dir, nil
		}
	}
	return "", fmt.Errorf("durable figures need a disk, and neither /var/tmp nor %s is on one; set TMPDIR", os.TempDir())
}

// memoryFolder is a folder in memory, or "" when the machine has none.
func memoryFolder() string {
	if kind, err := fileSystem(tmpfsAt); err != nil || kind != tmpfs {
		return ""
	}
	return tmpfsAt
}

func fileSystem(dir string) (int64, error) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return 0, err
	}
	return int64(st.Type), nil //nolint:unconvert // not an int64 on every architecture
}
