package wipe

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"gatehouse/agentd/wire"
)

// most is how many bytes a command has at most.
const most = 16 << 10

// Ask leaves a command in the file that the helper waits for.
func Ask(file string, c wire.SignedCommand) error {
	raw, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("ask for the wipe: %w", err)
	}
	return keep(file, raw)
}

// keep writes a file that is whole or not there, and on the disk when it returns.
func keep(file string, raw []byte) (err error) {
	f, err := os.OpenFile(file+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("keep %s: %w", file, err)
	}
	_, err = f.Write(raw)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		return fmt.Errorf("keep %s: %w", file, err)
	}
	return nil
}

// take reads a command and removes its file, so that one that is refused is not looked at for ever. The folder belongs to another
// user: no link is followed, and nothing but a plain file of a sane size is read.
func take(file string) (c wire.SignedCommand, err error) {
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return c, errors.Join(fmt.Errorf("read the command: %w", err), gone(file))
	}
	raw, err := readPlain(f)
	if err = errors.Join(err, f.Close(), gone(file)); err != nil {
		return c, err
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		return c, fmt.Errorf("read the command: %w", err)
	}
	return c, nil
}

func gone(file string) error {
	if err := os.Remove(file); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

func readPlain(f *os.File) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > most {
		return nil, errors.New("the command is no plain file, or too long")
	}
	return io.ReadAll(io.LimitReader(f, most))
}
