package wire

import (
	"crypto/ed25519"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"gatehouse/agentd/policy/canonical"
)

// Vouched is a server's own signature over what it says of the call of an approval, so that a person who reads a card
// reads what the server wrote, or over the list of its approver keys. See CardText and KeysText.
type Vouched struct {
	Key string `json:"card_key"` // CardKey of the key that opens the server's link
	Sig string `json:"sig"`      // over CardText or KeysText, hex
}

// said is what a server says of a call beside what the digest binds. The names are part of what is signed: a server that
// says more than this signs another first line of CardText.
type said struct {
	Action      string    `json:"action"`
	Destination string    `json:"destination"`
	Diff        *Diff     `json:"diff,omitempty"`
	Facts       []Fact    `json:"facts,omitempty"`
	Guardian    *saidBy   `json:"guardian,omitempty"`
	Locales     Locals    `json:"locales,omitempty"`
	Reason      string    `json:"reason"`
	Rule        *saidRule `json:"rule,omitempty"`
	Summary     string    `json:"summary"`
	Taint       []string  `json:"taint,omitempty"`
	WhyAsked    string    `json:"why_asked"`
}

// Local is what a card says in another language than English. What has no translation is there in English.
type Local struct {
	Summary  string   `json:"summary"`
	WhyAsked string   `json:"why_asked"`
	Facts    []string `json:"facts,omitempty"` // texts of the facts, in their order
}

// Locals are what a card says in other languages, by locale.
type Locals map[string]Local

// In is the approval as it reads in a language; as it is when its server does not speak it, or said something else of it.
func (a Approval) In(locale string) Approval {
	l, ok := a.Locales[locale]
	if !ok || len(l.Facts) != len(a.Facts) {
		return a
	}
	a.Summary, a.WhyAsked, a.Facts = l.Summary, l.WhyAsked, slices.Clone(a.Facts)
	for i, text := range l.Facts {
		a.Facts[i].Text = text
	}
	return a
}

// saidBy is the verdict of the guardian as a card tells it.
type saidBy struct {
	Failed  bool   `json:"failed"`
	Model   string `json:"model"`
	Reason  string `json:"reason"`
	Verdict string `json:"verdict"`
}

// saidRule is the rule that a card offers.
type saidRule struct {
	Diff string `json:"diff"`
	Text string `json:"text"`
}

// Says is everything that a server says of the call of an approval, as canonical JSON (RFC 8785): summary, measured
// facts, both in other languages, diff, the agent's reason, why it is asked, the guardian's verdict, where content from
// outside came from, and the rule and the destination that are offered. Members that hold nothing are left out when they
// are lists or objects, so that it is the same text on both ends however either of them keeps nothing.
func (a Approval) Says() ([]byte, error) {
	s := said{
		Action: a.Action, Destination: a.Destination, Diff: a.Diff, Facts: a.Facts, Locales: a.Locales,
		Reason: keepable(a.Reason), Summary: keepable(a.Summary), WhyAsked: keepable(a.WhyAsked),
	}
	if g := a.Guardian; g != nil {
		s.Guardian = &saidBy{Failed: g.Failed, Model: g.Model, Reason: g.Reason, Verdict: g.Verdict}
	}
	if r := a.Rule; r != nil {
		s.Rule = &saidRule{Diff: r.Diff, Text: r.Text}
	}
	for _, t := range a.Taint {
		s.Taint = append(s.Taint, t.Source)
	}
	out, err := canonical.Of(s)
	if err != nil {
		return nil, fmt.Errorf("what approval %s says: %w", a.ID, err)
	}
	return out, nil
}

// keepable is a text as the hub can keep it, which has no zero bytes.
func keepable(s string) string { return strings.ReplaceAll(s, "\x00", "\uFFFD") }

// CardText is what a server signs with its identity key about a card: four lines joined by \n: "gatehouse-card-v1",
// approval id, digest, hex SHA-256 of says, which Says gives.
func CardText(id, digest string, says []byte) []byte {
	return []byte(strings.Join([]string{"gatehouse-card-v1", id, digest, canonical.Sum(says)}, "\n"))
}

// Vouch signs what a says of its call.
func (a Approval) Vouch(key ed25519.PrivateKey) (*Vouched, error) {
	says, err := a.Says()
	if err != nil {
		return nil, err
	}
	return &Vouched{Key: CardKey(key), Sig: hex.EncodeToString(ed25519.Sign(key, CardText(a.ID, a.Digest, says)))}, nil
}

// CardKey is the public half of a server's identity key as cards and enrolments name it: hex, which like a hash stays
// as it is wherever an approval stands in a frame, whatever looks for secrets in that.
func CardKey(key ed25519.PrivateKey) string {
	return hex.EncodeToString(key.Public().(ed25519.PublicKey))
}

// VouchedBy says whether the server with that CardKey says of the call what a says.
func (a Approval) VouchedBy(cardKey string) bool {
	says, err := a.Says()
	if err != nil || a.Vouched == nil {
		return false
	}
	key, err1 := hex.DecodeString(cardKey)
	sig, err2 := hex.DecodeString(a.Vouched.Sig)
	return err1 == nil && err2 == nil && len(key) == ed25519.PublicKeySize && ed25519.Verify(key, CardText(a.ID, a.Digest, says), sig)
}
