package sandbox

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// restrictMounts makes everything but the data root and the scratch folder read-only, in this process's own view of
// the file system. Landlock leaves changes of modes, owners and times alone; a read-only mount does not.
func restrictMounts(s spec) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("own view of the file system: %w", err)
	}
	own := []string{s.Root, s.Scratch}
	for _, dir := range own {
		if err := unix.Mount(dir, dir, "", unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("mount %s: %w", dir, err)
		}
	}
	readOnly := &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, readOnly); err != nil {
		return fmt.Errorf("make the machine read-only: %w", err)
	}
	writable := &unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY, Attr_set: unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV | unix.MOUNT_ATTR_NOEXEC}
	for _, dir := range own {
		if err := unix.MountSetattr(unix.AT_FDCWD, dir, 0, writable); err != nil {
			return fmt.Errorf("make %s writable: %w", dir, err)
		}
	}
	return nil
}
