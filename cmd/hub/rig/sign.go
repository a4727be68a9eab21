package rig

import (
	"encoding/json"
	"time"

	"gatehouse/agentd/policy/canonical"
	"gatehouse/agentd/wire"
	"gatehouse/cmd/hub/dev"
)

// Signed is the body of POST approvals/{id} that gives leave, signed with the demo's key: what an API client sends. The
// digest is computed from the approval's fields, not taken from it.
func Signed(key dev.Approver, a wire.Approval, body map[string]any) (map[string]any, error) {
	s, err := wire.ReadSigner(key.PrivateKeyPEM)
	if err != nil {
		return nil, err
	}
	scope, err := hashOf(body["scope"])
	if err != nil {
		return nil, err
	}
	args, err := hashOf(body["args"])
	if err != nil {
		return nil, err
	}
	verb, _ := body["decision"].(wire.Verb)
	minutes, _ := body["minutes"].(int)
	at := time.Now().UTC().Truncate(time.Second)
	sig, err := s.Sign(wire.DecisionText(wire.DigestOf(a), verb, minutes, scope, args, at), at)
	if err != nil {
		return nil, err
	}
	signed := map[string]any{"signature": sig}
	for k, v := range body {
		signed[k] = v
	}
	return signed, nil
}

func hashOf(v any) (string, error) {
	if v == nil {
		return wire.Nothing, nil
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	return canonical.Hash(raw)
}

// SignedChange is the signature of a key over a change of power, for the version of the settings that it is bound to.
func SignedChange(key dev.Approver, serverID string, kind wire.ChangeKind, body any, version int64) (*wire.Signature, error) {
	s, err := wire.ReadSigner(key.PrivateKeyPEM)
	if err != nil {
		return nil, err
	}
	raw, err := canonical.Of(body)
	if err != nil {
		return nil, err
	}
	at := time.Now().UTC().Truncate(time.Second)
	return s.Sign(wire.ChangeText(serverID, kind, canonical.Sum(raw), version, at), at)
}
