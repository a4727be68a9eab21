package vault

// Trouble is why the external vault does not vouch for a value. It is one of a few words, never what a machine out there
// has said: that could be anything, a value too.
type Trouble string

// What can be wrong. The last four say that the value itself is gone there; the others, that nobody knows.
const (
	TroubleAway       Trouble = "away"
	TroubleTLS        Trouble = "tls"
	TroubleRedirect   Trouble = "redirect"
	TroubleSealed     Trouble = "sealed"
	TroubleBusy       Trouble = "busy"
	TroubleAnswer     Trouble = "answer"
	TroubleCredential Trouble = "credential"
	TroubleLogin      Trouble = "login"
	TroubleDenied     Trouble = "denied"
	TroubleMissing    Trouble = "missing"
	TroubleDeleted    Trouble = "deleted"
	TroubleDestroyed  Trouble = "destroyed"
	TroubleField      Trouble = "field"
)

var troubles = map[Trouble]string{
	TroubleAway:       "the external vault cannot be reached",
	TroubleTLS:        "the external vault shows no certificate that agentd trusts",
	TroubleRedirect:   "the external vault sends agentd to another address, where it does not go",
	TroubleSealed:     "the external vault is sealed or not ready",
	TroubleBusy:       "the external vault takes no more questions for now",
	TroubleAnswer:     "the external vault gives answers that cannot be used",
	TroubleCredential: "the file with agentd's credential for the external vault is missing, or others can read it",
	TroubleLogin:      "the external vault does not take agentd's credential",
	TroubleDenied:     "the external vault does not let agentd read it",
	TroubleMissing:    "there is no such secret in the external vault",
	TroubleDeleted:    "it was deleted in the external vault",
	TroubleDestroyed:  "it was destroyed in the external vault",
	TroubleField:      "it has no such field in the external vault, or no text in it",
}

// Text is the trouble in words, as the end of a sentence; empty without trouble.
func (t Trouble) Text() string {
	if text, ok := troubles[t]; ok || t == "" {
		return text
	}
	return "the external vault is in trouble"
}

// Gone says whether the value does not hold anymore, or never did: it may not be used, however young it is.
func (t Trouble) Gone() bool {
	switch t {
	case TroubleMissing, TroubleDeleted, TroubleDestroyed, TroubleField:
		return true
	}
	return false
}

// General says whether the trouble is that of the external vault as a whole: no other secret would fare better.
func (t Trouble) General() bool {
	return t != "" && t != TroubleAnswer && t != TroubleDenied && !t.Gone()
}
