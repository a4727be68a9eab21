package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"gatehouse/agentd/sandbox"
	"gatehouse/agentd/vault/secret"
)

// maxTyped is the longest value that is read, in bytes.
const maxTyped = 64 << 10

// ask reads a value: without echo from a terminal, else the whole standard input less one line break at its end. It
// never comes from the arguments, which everybody on the machine can see.
func (c *call) ask(prompt string) (secret.Value, error) {
	if f, ok := c.in.(*os.File); ok {
		if was, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS); err == nil {
			return c.hidden(f, was, prompt)
		}
	}
	b, err := io.ReadAll(io.LimitReader(c.in, maxTyped+1))
	if err != nil {
		return secret.Value{}, fmt.Errorf("read value: %w", err)
	}
	if len(b) > maxTyped {
		return secret.Value{}, errors.New("the value is too long")
	}
	return secret.New(strings.TrimSuffix(strings.TrimSuffix(string(b), "\n"), "\r")), nil
}

// hidden asks at a terminal.
func (c *call) hidden(f *os.File, was *unix.Termios, prompt string) (secret.Value, error) {
	quiet := *was
	quiet.Lflag &^= unix.ECHO
	if err := unix.IoctlSetTermios(int(f.Fd()), unix.TCSETS, &quiet); err != nil {
		return secret.Value{}, fmt.Errorf("hide what is typed: %w", err)
	}
	say(c.errOut, prompt, 0)
	line, err := bufio.NewReader(io.LimitReader(f, maxTyped)).ReadString('\n')
	say(c.errOut, "\n", 0)
	if rerr := unix.IoctlSetTermios(int(f.Fd()), unix.TCSETS, was); rerr != nil {
		err = errors.Join(err, fmt.Errorf("show again what is typed: %w", rerr))
	}
	if err != nil {
		return secret.Value{}, fmt.Errorf("read value: %w", err)
	}
	return secret.New(strings.TrimRight(line, "\r\n")), nil
}

// hideSecrets keeps other processes, and core files, out of the memory of a command that handles values. A machine that
// cannot do that must not run it.
func hideSecrets(args []string) {
	if len(args) == 0 || args[0] != "secrets" {
		return
	}
	if err := sandbox.Harden(); err != nil {
		os.Exit(say(os.Stderr, "agentd secrets: hide this process's memory: "+err.Error()+"\n", 1))
	}
}
