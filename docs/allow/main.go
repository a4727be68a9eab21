package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"
)

// demo is what the example needs of demo.json.
type demo struct {
	HubURL   string `json:"hub_url"`
	Customer struct {
		APIToken string `json:"api_token"`
	} `json:"customer"`
	Approver struct {
		KeyID         string `json:"key_id"`
		PrivateKeyPEM string `json:"private_key_pem"`
		CardKey       string `json:"card_key"` // of the server; empty: the key was enrolled by a version that did not ask for it
	} `json:"approver"`
}

func main() {
	if err := run(context.Background(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "allow:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, in io.Reader, out io.Writer) error {
	dir := os.Getenv("GATEHOUSE_DIR")
	if dir == "" {
		dir = "var"
	}
	raw, err := os.ReadFile(filepath.Join(dir, "demo.json"))
	if err != nil {
		return fmt.Errorf("is the demo there? make run: %w", err)
	}
	var d demo
	if err := json.Unmarshal(raw, &d); err != nil {
		return fmt.Errorf("read demo.json: %w", err)
	}
	key, err := newSigner(d.Approver.KeyID, d.Approver.PrivateKeyPEM)
	if err != nil {
		return err
	}
	var list struct {
		Items []asked `json:"items"`
	}
	if err := d.call(ctx, http.MethodGet, "?status=pending", nil, &list); err != nil {
		return err
	}
	answers := bufio.NewScanner(in)
	for _, a := range list.Items {
		if err := a.vouched(d.Approver.CardKey); err != nil && d.Approver.CardKey != "" {
			fmt.Fprintf(out, "%s is not shown and not allowed: %v\n", shown(a.ID), err)
			continue
		}
		fmt.Fprintf(out, "%s wants to: %s\n  %s %s\n  because: %s\nAllow it once? [y/N] ", shown(a.Agent), shown(a.Summary), shown(a.Tool), shown(string(a.Args)), shown(a.Reason))
		if !answers.Scan() || !strings.EqualFold(strings.TrimSpace(answers.Text()), "y") {
			continue
		}
		if err := d.allow(ctx, key, a); err != nil {
			return err
		}
		fmt.Fprintln(out, "Allowed.")
	}
	return answers.Err()
}

// shown is a text of an agent without what would move the cursor or turn the writing around: who answers must see what is
// asked.
func shown(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '·'
		}
		return r
	}, text)
}

// allow sends a decision with its signature. Without one the answer would be 403.
func (d demo) allow(ctx context.Context, key signer, a asked) error {
	sig, err := key.allowOnce(a, time.Now())
	if err != nil {
		return err
	}
	return d.call(ctx, http.MethodPost, "/"+a.ID, map[string]any{"decision": "allow_once", "signature": sig}, nil)
}

// call asks the API about approvals.
func (d demo) call(ctx context.Context, method, path string, body, result any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, d.HubURL+"/api/v1/customer/approvals"+path, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+d.Customer.APIToken)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }() // it is read to its end
	text, err := io.ReadAll(res.Body)
	switch {
	case err != nil:
		return err
	case res.StatusCode >= http.StatusBadRequest:
		return fmt.Errorf("the hub answers %s: %s", res.Status, text)
	case result == nil:
		return nil
	}
	return json.Unmarshal(text, result)
}
