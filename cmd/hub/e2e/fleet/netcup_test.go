package fleet

import (
	"testing"

	"gatehouse/app/provider/vpshost/netcup/netcuptest"
	"gatehouse/cmd/hub/e2e"
)

// TestNetcup_connect: one of our staff connects netcup in a browser: the page shows the code, and notices the yes by itself. Then a
// machine is adopted and made available.
func TestNetcup_connect(t *testing.T) {
	panel := netcuptest.New(t, 3)
	h, _ := e2e.Start(t, "NETCUP_URL="+panel.URL)
	p := h.NewPage(t)
	p.SignInStaff()
	p.Open("/admin/providers")
	p.Shots("providers-none")
	p.Click("#netcup button[value=connect]")
	p.Until("the code", `document.querySelector("#netcup-ask code")?.textContent === "ABCD-EFGH"`)
	p.Shots("providers-asking")
	panel.Approve()
	p.Until("the connection", `!!document.querySelector("#netcup button[value=disconnect]")`)
	p.Until("the other machines", `document.querySelectorAll("#others li").length === 3`)
	p.Click("#others li:first-child summary")
	p.Shots("providers-adopting")
	p.Click("#others li:first-child button[type=submit]")
	p.Until("the adopted one", `document.querySelectorAll("#adopted li[id^=adopted-]").length === 1`)
	p.Click("#adopted li[id^=adopted-] button[value=free]")
	p.Until("that it is free", `!!document.querySelector("#adopted li[id^=adopted-] button[value=hold]")`)
	p.Until("the other machines", `document.querySelectorAll("#others li").length === 2`)
	p.Shots("providers-connected")
}
