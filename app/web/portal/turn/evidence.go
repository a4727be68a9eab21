package turn

import (
	"gatehouse/agentd/wire"
	"gatehouse/views/portal"
	"gatehouse/views/ui"
)

// Evidence is the panel below an answer, without its receipts.
func Evidence(run string, f wire.FinalData) ui.Evidence {
	e := ui.Evidence{Run: run, Verdict: string(f.Verdict), RunHref: portal.RunPath(run), Print: portal.RunPath(run) + "#receipts"}
	for _, c := range f.Claims {
		e.Claims = append(e.Claims, ui.Claim{Sentence: c.Sentence, Verdict: string(c.Verdict), Receipts: c.Receipts})
	}
	return e
}

// Chain says whether the log holds together, as far as it was asked.
func Chain(asked, verified bool, problem string) ui.Chain {
	switch {
	case verified:
		return ui.Chain{State: "verified"}
	case asked:
		return ui.Chain{State: "broken", Detail: problem}
	}
	return ui.Chain{State: "unchecked"}
}
