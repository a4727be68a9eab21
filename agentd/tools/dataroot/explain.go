package dataroot

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"gatehouse/agentd/tool"
)

// explained is a refusal that the model reads, with the error behind it for errors.Is.
type explained struct {
	*tool.Refused
	cause error
}

func (e *explained) Unwrap() []error { return []error{e.Refused, e.cause} }

// Explain turns an error of the file system into one that the model can read. What it does not know stays as it is.
func Explain(rel string, err error) error {
	var refused *tool.Refused
	if errors.As(err, &refused) {
		return err
	}
	if text := say(err); text != "" {
		return &explained{&tool.Refused{Text: rel + text}, err}
	}
	return fmt.Errorf("%s: %w", rel, err)
}

// Failed says whether the file system itself gave an error, such as a full disk, and not a check of ours.
func Failed(err error) bool {
	var errno syscall.Errno
	return errors.As(err, &errno)
}

func say(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return " does not exist."
	case errors.Is(err, fs.ErrPermission):
		return " may not be opened by the team."
	case errors.Is(err, unix.ELOOP), strings.Contains(err.Error(), "escapes"): // os.Root has no exported error for it
		return " leads out of the data folder."
	case errors.Is(err, unix.ENOTDIR), errors.Is(err, unix.EISDIR), errors.Is(err, unix.ENAMETOOLONG), errors.Is(err, unix.ENXIO):
		return " is not what the path says, a file or a folder."
	case errors.Is(err, unix.ENOTEMPTY):
		return " is a folder that is not empty."
	case errors.Is(err, unix.ENOSPC), errors.Is(err, unix.EDQUOT), errors.Is(err, unix.EFBIG):
		return " was not changed: there is no room left on the disk."
	case errors.Is(err, unix.EROFS):
		return " was not changed: the disk can only be read."
	}
	return ""
}
