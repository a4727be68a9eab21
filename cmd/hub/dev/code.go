package dev

import (
	"fmt"
	"io"
	"time"

	"github.com/pquerna/otp/totp"
)

// Code prints the demo staff member's sign-in code and how long it holds.
func Code(w io.Writer, dir string, now time.Time) error {
	d, err := ReadDemo(dir)
	if err != nil {
		return fmt.Errorf("no demo yet, type make run first: %w", err)
	}
	code, err := totp.GenerateCode(d.Staff.TOTPSecret, now)
	if err != nil {
		return fmt.Errorf("staff code: %w", err)
	}
	left := 30 - now.Unix()%30
	_, err = fmt.Fprintf(w, "%s   for %s, good for another %d s\n", code, d.Staff.Email, left)
	return err
}
