package dev

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Demo is var/demo.json: how to sign in to the demo. It is written for its owner alone (0600).
type Demo struct {
	HubURL   string   `json:"hub_url"`
	Customer Customer `json:"customer"`
	Staff    Staff    `json:"staff"`
	ServerID string   `json:"server_id"`
	Approver Approver `json:"approver"`
	Mailbox  string   `json:"mailbox,omitempty"` // the team's address; empty: it was not given a mailbox yet

	// Codes for the terminal alone; they are not kept.
	EnrolCode    string `json:"-"` // enrols the key of a browser
	RecoveryCode string `json:"-"` // printed once, at set-up
}

// Approver is a key that may allow on the demo's server: what an API client signs with.
type Approver struct {
	KeyID         string `json:"key_id"`
	PrivateKeyPEM string `json:"private_key_pem"` // PKCS #8, P-256
	CardKey       string `json:"card_key"`        // with which the server signs what approvals say, hex; empty: enrolled before it did
}

// Customer is the demo owner's way in.
type Customer struct {
	Email    string `json:"email"`
	Password string `json:"password"`
	APIToken string `json:"api_token"`
}

// Staff is the demo staff member's way in.
type Staff struct {
	Email      string `json:"email"`
	Password   string `json:"password"`
	TOTPSecret string `json:"totp_secret"`
	APIToken   string `json:"api_token"`
}

func demoPath(dir string) string { return filepath.Join(dir, "demo.json") }

// ReadDemo reads demo.json; the error satisfies fs.ErrNotExist before the first run.
func ReadDemo(dir string) (Demo, error) {
	b, err := os.ReadFile(demoPath(dir))
	if err != nil {
		return Demo{}, fmt.Errorf("demo sign-ins: %w", err)
	}
	var d Demo
	if err := json.Unmarshal(b, &d); err != nil {
		return Demo{}, fmt.Errorf("demo sign-ins: %s: %w", demoPath(dir), err)
	}
	return d, nil
}

// Write keeps d in dir, whole or not at all.
func (d Demo) Write(dir string) error {
	b, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return fmt.Errorf("demo sign-ins: %w", err)
	}
	tmp := demoPath(dir) + ".new"
	if err := os.WriteFile(tmp, append(b, '\n'), 0o600); err != nil {
		return fmt.Errorf("demo sign-ins: %w", err)
	}
	if err := os.Rename(tmp, demoPath(dir)); err != nil {
		return fmt.Errorf("demo sign-ins: %w", err)
	}
	return nil
}
