package dev

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"gatehouse/db/devpg"
)

// errLeftRunning: Postgres and the servers would go on in the folder under its new name, and nobody would end them.
var errLeftRunning = errors.New("a hub that was killed left Postgres and the servers running on this data. " +
	"Type make run, end it with Ctrl-C, which stops them, and then make reset again. Nothing was moved")

// Reset asks, then moves the data folder aside, so that the next run starts afresh. It deletes nothing.
func Reset(in io.Reader, out io.Writer, dir string, now time.Time) error {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		_, err := fmt.Fprintf(out, "There is no data in %s: nothing to move.\n", dir)
		return err
	}
	lock, err := Acquire(dir, "make reset")
	if err != nil {
		return err
	}
	defer lock.Release()
	if devpg.Running(postgresIn(dir)) {
		return errLeftRunning
	}
	aside := dir + "-" + now.UTC().Format("20060102-150405")
	if _, err := fmt.Fprintf(out, "Move %s to %s and start afresh next time? Type yes: ", dir, aside); err != nil {
		return err
	}
	answer, err := bufio.NewReader(in).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the answer: %w", err)
	}
	if strings.TrimSpace(answer) != "yes" {
		_, err := fmt.Fprintln(out, "Nothing was moved.")
		return err
	}
	if err := os.Rename(dir, aside); err != nil {
		return fmt.Errorf("move the data aside: %w", err)
	}
	_, err = fmt.Fprintf(out, "Moved. The old data is in %s.\n", aside)
	return err
}
