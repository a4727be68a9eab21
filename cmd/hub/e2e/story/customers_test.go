package story

import (
	"strings"
	"testing"

	"gatehouse/cmd/hub/e2e"
)

// TestCustomers_madeByStaff: one of our staff makes a customer, who gets a mail, joins as its owner and finds the plans; staff see that,
// write a note and change the address. The customer's pages know nothing of the note.
func TestCustomers_madeByStaff(t *testing.T) {
	h, _ := e2e.Start(t)
	staff, owner := h.NewPage(t), h.NewPage(t)
	staff.SignInStaff()
	staff.Open("/admin/customers")
	staff.Leave(".page-actions a[href='/admin/customers/new']")
	staff.InspectOpen("/admin/customers/new")
	staff.Desktop()
	staff.Write("[name=name]", "Lamp Shop")
	staff.Write("[name=email]", "lamps@example.com")
	staff.Write("[name=time_zone]", "Nowhere")
	staff.Leave("#customer button[type=submit]")
	staff.See(".field[data-invalid]", "time zone")
	staff.InspectOpen("/admin/customers/new refused")
	staff.Desktop()
	staff.Write("[name=time_zone]", "Europe/Vienna")
	staff.Leave("#customer button[type=submit]")
	staff.See("#people", "lamps@example.com")
	customer := e2e.Eval[string](staff, "location.pathname")
	staff.InspectOpen("/admin/customers/:id invited")
	staff.Desktop()

	mail := h.AwaitMail(t, "lamps@example.com", "Your Gatehouse account for Lamp Shop")
	_, link, ok := strings.Cut(mail.Text, h.URL(""))
	if !ok {
		t.Fatalf("mailed was %q", mail.Text)
	}
	link = strings.Fields(link)[0]
	h.Plant("the secret of an invitation", link[strings.LastIndex(link, "/")+1:])
	owner.Open(link)
	owner.InspectOpen("the invitation of an owner")
	owner.Desktop()
	owner.Write("[name=name]", "Some Body")
	owner.Write("[name=password]", "three quiet lamps at dawn")
	owner.Leave("#invite button[type=submit]")
	owner.Until("the way to an order", `location.pathname === "/onboard"`)
	owner.See("main", "plan")
	owner.InspectOpen("/onboard without an order")

	staff.Open(customer)
	staff.See("#people", "Some Body")
	staff.Write("[name=note]", "Wants to start in spring.")
	staff.Leave("#notes button[type=submit]")
	staff.See("#notes li", "Wants to start in spring.")
	staff.Leave("#facts a[href$='/edit']")
	staff.InspectOpen("/admin/customers/:id/edit")
	staff.Desktop()
	staff.Write("[name=address]", "1 Some Street")
	staff.Leave("#customer button[type=submit]")
	staff.See("#facts", "1 Some Street")
	staff.InspectOpen("/admin/customers/:id with a note")
	staff.Desktop()
	staff.Open("/admin/customers?q=lamps@")
	staff.See("#customers-results", "Lamp Shop")
	staff.InspectOpen("/admin/customers?q=lamps@")
	for _, path := range []string{"/app", "/app/settings", "/app/settings/people", "/onboard"} {
		if strings.Contains(owner.Fetch(path), "start in spring") {
			t.Errorf("%s shows a customer what staff wrote about them", path)
		}
	}
}
