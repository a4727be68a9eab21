package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"gatehouse/agentd/store"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/vault"
)

// silent is how long agentd may not have asked the external vault before that is worth a word: it does so every hour at
// the least.
const silent = 2 * time.Hour

// external looks at how agentd stands with the external vault, and with the secrets that come from there.
func external(ctx context.Context, in Input) Finding {
	f := Finding{Name: "external", State: OK, Text: "no secret comes from an external vault"}
	e, err := readExternal(ctx, in.State)
	if err != nil {
		f.State, f.Text, f.Mend = Fail, "what agentd knows of the external vault cannot be read: "+err.Error(), "Run agentd doctor as agentd's user."
		return f
	}
	n := len(e.Secrets)
	if n == 0 {
		return f
	}
	what := tool.Count(int64(n), "secret comes", "secrets come") + " from the external vault"
	bad, gone := named(e)
	f.Text = fmt.Sprintf("%s %s, last asked %s", what, e.Address, when(e.LookedAt))
	switch {
	case e.Address == "":
		f.State, f.Text, f.Mend = Fail, what+", and agentd is told of none: nobody can use them", "Set AGENTD_KV_ADDR and a way in, then start agentd again; or keep values here: agentd secrets set NAME."
	case gone:
		f.State, f.Text, f.Mend = Fail, what+"; not to be used: "+bad, "Put them back there, or say where they come from now: agentd secrets source NAME PATH#FIELD."
	case e.Trouble != "":
		f.State, f.Text = Warn, what+": "+e.Trouble.Text()+". Fetched values are used up to their longest age (AGENTD_KV_MAX_AGE)"
		if f.Mend = mends[e.Trouble]; f.Mend == "" {
			f.Mend = "Look whether AGENTD_KV_ADDR names a HashiCorp Vault or OpenBao, and into its log."
		}
	case bad != "":
		f.State, f.Text = Warn, what+"; it does not vouch for "+bad
		f.Mend = "Let the policy of agentd's token read metadata and data of these paths, then: agentd secrets refresh."
	case in.Now().Sub(e.LookedAt) > silent:
		f.State, f.Text, f.Mend = Warn, f.Text+": not for a long time", "Start agentd; its log says why it does not ask."
	}
	return f
}

func when(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.Format(time.RFC3339)
}

// readExternal reads beside an agentd that may be running. A state that is not there yet holds nothing.
func readExternal(ctx context.Context, dir string) (e vault.External, err error) {
	r, err := store.OpenReader(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return e, nil
	}
	if err != nil {
		return e, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	return vault.ReadExternal(ctx, r)
}

// named lists up to five secrets for which the external vault does not vouch; first of all those that are gone there.
func named(e vault.External) (text string, gone bool) {
	var all, lost []string
	for _, s := range e.Secrets {
		why := s.Trouble
		if why == "" && s.Version == 0 {
			why = "not fetched yet"
		}
		if why == "" {
			continue
		}
		all = append(all, s.Name+" ("+why+")")
		if s.Gone {
			lost = append(lost, all[len(all)-1])
		}
	}
	if len(lost) > 0 {
		all = lost
	}
	return strings.Join(all[:min(5, len(all))], ", "), len(lost) > 0
}

// mends is what to do about each trouble of the external vault as a whole.
var mends = map[vault.Trouble]string{
	vault.TroubleAway:       "Look whether it runs and whether this machine reaches it; AGENTD_KV_ADDR names it.",
	vault.TroubleTLS:        "Name the certificate of its authority in AGENTD_KV_CA_FILE, and the host that stands in its certificate in AGENTD_KV_ADDR.",
	vault.TroubleRedirect:   "Name the active node, or an address that forwards to it, in AGENTD_KV_ADDR.",
	vault.TroubleSealed:     "Unseal it, or name a node that answers in AGENTD_KV_ADDR.",
	vault.TroubleBusy:       "Raise its rate limit for agentd, or AGENTD_KV_EVERY.",
	vault.TroubleCredential: "Make the file of AGENTD_KV_TOKEN_FILE or AGENTD_KV_SECRET_ID_FILE, agentd's own and of mode 0600.",
	vault.TroubleLogin:      "Lay a new token or secret id into its file. The token needs the policy default, which lets it look at itself and renew itself.",
}
