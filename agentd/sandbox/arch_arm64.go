package sandbox

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_AARCH64

// archByName are older names of the calls in deniedByName; there are none here.
var archByName []uint32
