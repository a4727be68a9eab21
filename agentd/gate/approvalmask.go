package gate

import (
	"encoding/json"
	"fmt"

	"gatehouse/agentd/policy/canonical"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/wire"
)

// maskArgs lets the question hold the arguments as people will see them: what looks like a secret does not leave the server.
// The digest binds both, what would run and what is shown, so that whoever signs can check what they read. The question
// is masked as a whole, as it is on its way out: what stands beside the arguments can tell that a word in them is secret.
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

// redactApproval is a question as it is on its way out.
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

// signApproval lets the server sign what the question says as it is on its way out, which is what a person will read.
func (t txn) signApproval(a *approval) error {
	key := t.deps.Identity()
	if key == nil {
		return ErrNotRegistered
	}
	out, err := redactApproval(a.Approval)
	if err != nil {
		return err
	}
	a.Vouched, err = out.Vouch(key)
	return err
}

// redactedRow is the question as it rests in the table: what a model or a person said in it is without secrets. What is compared
// stays as it is: what the digest binds, the rule, and the destination, which windows are looked up by. The arguments were
// masked when it was asked; another look at them, when more secrets are known, would not be what was signed.
func (a *approval) redactedRow() (wire.Approval, error) {
	out, err := redactApproval(a.Approval)
	k := a.Approval
	k.Summary, k.Facts, k.Reason, k.WhyAsked, k.Diff = out.Summary, out.Facts, out.Reason, out.WhyAsked, out.Diff
	k.Taint, k.Guardian, k.DenyReason = out.Taint, out.Guardian, out.DenyReason
	return k, err
}

// storedEdit is the arguments that a person put in, as they rest in the table: as they will run until they do, for nothing
// else holds them, and without secrets from then on. The record of the call holds what runs.
func (a *approval) storedEdit() string {
	if a.Execution == wire.ExecQueued {
		return string(a.Edited)
	}
	return redact.JSON(string(a.Edited))
}
