package approval

import (
	"testing"

	"gatehouse/cmd/hub/e2e"
)

// TestLetHere: a device that may not approve yet may after one code, which stands on the server's console alone; a code of a
// wrong length is told before it is sent. What was pressed is then carried out.
func TestLetHere(t *testing.T) {
	h, _ := e2e.Start(t)
	p := h.NewPage(t)
	p.SignIn()
	p.Until("the portal", `location.pathname === "/app"`)
	p.Open("/app/chat")
	p.Say("Delete the old temporary files")
	p.Click(".turn.answer:last-of-type .approval button[value=allow_once]")
	p.Until("the dialog", `document.querySelector("#enrol-here[open] [data-code]") === document.activeElement`)
	p.Shot("chat-let-here")
	p.Write("#enrol-here [data-code]", "ABCD-EFGH")
	p.Click("#enrol-here button[value=browser]")
	p.See("#enrol-here .form-failed", "You typed 8")
	code, err := h.EnrolCode()
	if err != nil {
		t.Fatal(err)
	}
	p.Write("#enrol-here [data-code]", code)
	p.Click("#enrol-here button[value=browser]")
	p.Until("the run's end", `document.querySelector(".turn.answer:last-of-type .turn-foot").dataset.state === "done"`)
	p.See(".turn.answer:last-of-type .prose", "I have deleted tmp/*.tmp")
}
