package fleet

import (
	"os"
	"testing"

	"gatehouse/app/provider/target/targettest"
	"gatehouse/app/provider/vpshost/netcup/netcuptest"
	"gatehouse/cmd/hub/e2e"
)

// TestNetcup_order: a machine in the account is adopted, and an order takes it: the provider loses the answer to the new system, which is
// put on once all the same; the bare machine becomes the customer's server; its owner is answered. In the soak: the set-up itself is
// TestPool's.
func TestNetcup_order(t *testing.T) {
	if why := targettest.Lack(); why != "" {
		t.Skip(why)
	}
	if os.Getenv("GATEHOUSE_SOAK") == "" {
		t.Skip("one more whole machine is set up in the soak")
	}
	panel, box := netcuptest.New(t, 1), targettest.Boot(t)
	panel.Put(panel.Servers()[0].ID, box.Address)
	panel.Boot = func(w netcuptest.Install) string {
		box.Do("cat >>/root/.ssh/authorized_keys <<'KEY'\n" + w.Key + "\nKEY\n" + w.Script)
		return box.Address
	}
	h, _ := e2e.Start(t, "HUB_PROVIDER=netcup", "NETCUP_URL="+panel.URL)
	tunnel(t, box, h.URL(""))
	given := watch(t, box)
	owner, staff := h.NewPage(t), h.NewPage(t)
	staff.SignInStaff()
	staff.Open("/admin/providers")
	staff.Click("#netcup button[value=connect]")
	staff.Until("the code", `!!document.querySelector("#netcup-ask code")`)
	panel.Approve()
	staff.Until("the machine", `document.querySelectorAll("#others li").length === 1`)
	staff.Click("#others li summary")
	staff.Click("#others li button[type=submit]")
	staff.Click("#adopted button[value=free]")
	staff.Until("that it is free", `!!document.querySelector("#adopted button[value=hold]")`)

	panel.Fail(netcuptest.Fault{Method: "POST", Path: "/servers/800100/image", After: true})
	order(owner)
	staff.Open("/admin/orders")
	staff.Click("main table a[href^='/admin/orders/']")
	ready(t, h, staff)
	owner.Open("/app/chat")
	owner.Say("How full is the disk?")
	owner.Until("the answer", `document.querySelector(".turn.answer:last-of-type .turn-foot")?.dataset.state === "done"`)
	systems := panel.Installs()
	if len(systems) != 1 {
		t.Fatalf("%d systems were put on: %+v", len(systems), systems)
	}
	left(t, box, "'"+systems[0].Key+"'", given)
	staff.Open("/admin/providers")
	staff.See("#adopted", "Show the server")
}
