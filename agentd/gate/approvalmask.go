package gate

import (
	"encoding/json"
	"fmt"

	"gatehouse/agentd/phrase"
	"gatehouse/agentd/policy/canonical"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/wire"
)

// maskArgs makes the approval hold the arguments as people will see them: anything that looks like a secret stays on the
// server. The digest binds both the arguments that would run and those shown, so a signer can check what they read. The
// approval is masked as a whole, the way it is sent, because other fields can reveal that a word in the arguments is secret.
func (a *approval) maskArgs() error {
	out, err := redactApproval(a.Approval)
	if err != nil {
		return err
	}
	shown, err := canonical.JSON(out.Args)
	if err != nil {
		return fmt.Errorf("mask approval: %w", err)
	}
	a.Args = shown
	if sum := canonical.Sum(shown); sum != a.ArgsHash {
		a.ShownHash = sum
	}
	return nil
}

// redactApproval is an approval as it is sent.
func redactApproval(a wire.Approval) (out wire.Approval, err error) {
	raw, err := json.Marshal(a)
	if err == nil {
		err = json.Unmarshal(redact.Frame(raw), &out)
	}
	if err != nil {
		return out, fmt.Errorf("mask approval: %w", err)
	}
	return out, nil
}

// signApproval lets the server sign the approval as it is sent, which is what a person will read.
func (t txn) signApproval(a *approval) error {
	key := t.deps.Identity()
	if key == nil {
		return ErrNotRegistered
	}
	a.Locales = nil
	out, err := redactApproval(a.Approval)
	if err != nil {
		return err
	}
	out.Locales = locales(out)
	a.Locales = out.Locales
	a.Vouched, err = out.Vouch(key)
	return err
}

// locales says a masked approval in the other languages of people. What no book has stays English.
func locales(a wire.Approval) wire.Locals {
	all := wire.Locals{}
	for _, locale := range phrase.Locales {
		book := phrase.Card(locale)
		summary, _ := book.Say(a.Summary)
		why, _ := book.Say(a.WhyAsked)
		l := wire.Local{Summary: summary, WhyAsked: why}
		for _, f := range a.Facts {
			text, _ := book.Say(f.Text)
			l.Facts = append(l.Facts, text)
		}
		all[locale] = l
	}
	return all
}

// redactedRow is the approval as it is stored: texts of a model or a person are without secrets. Fields that are compared stay
// as they are: what the digest binds, the rule, and the destination that windows are found by. The arguments were masked when
// the person was asked; masking them again, when more secrets are known, would differ from what was signed.
func (a *approval) redactedRow() (wire.Approval, error) {
	out, err := redactApproval(a.Approval)
	k := a.Approval
	k.Summary, k.Facts, k.Reason, k.WhyAsked, k.Diff = out.Summary, out.Facts, out.Reason, out.WhyAsked, out.Diff
	k.Taint, k.Guardian, k.DenyReason, k.Locales, k.Typed = out.Taint, out.Guardian, out.DenyReason, out.Locales, out.Typed
	return k, err
}

// storedEdit is a person's edited arguments as they are stored: unchanged until they run, because nothing else holds them, and
// without secrets afterwards. The record of the call holds what runs.
func (a *approval) storedEdit() string {
	if a.Execution == wire.ExecQueued {
		return string(a.Edited)
	}
	return redact.JSON(string(a.Edited))
}
