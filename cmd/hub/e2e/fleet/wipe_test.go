package fleet

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gatehouse/app/provider/target/targettest"
	"gatehouse/cmd/hub/e2e"
	"gatehouse/cmd/hub/rig"
)

// customersWord stands in a file and in a container of the customer, and nowhere once the machine has wiped itself.
const customersWord = "the-customers-own-word"

// wiped ends the order and has the machine wipe itself: our staff confirm both with mailed codes, the machine erases what was the
// customer's, the hub looks at it, and it is available only after a check.
func wiped(t *testing.T, h *e2e.Hub, staff *e2e.Page, box *targettest.Machine, order string) {
	t.Helper()
	box.Do(`echo ` + customersWord + ` | install -D -o agentd -g agentd /dev/stdin /opt/gatehouse/letters/offer.txt
docker volume create books >/dev/null
docker run --detach --name shop --volume books:/books --label word=` + customersWord + ` probe >/dev/null
echo ` + customersWord + ` >/home/gatehouse/notes; echo ` + customersWord + ` >/var/lib/docker/volumes/books/_data/book`)
	staff.Open("/admin/pool")
	if e2e.Eval[bool](staff, `!!document.querySelector("button[value=wipe]")`) {
		t.Error("a machine whose order goes on can be wiped")
	}
	staff.Open(order)
	coded(t, h, staff, "end")
	staff.Open("/admin/pool")
	coded(t, h, staff, "wipe")
	staff.Open("/admin/pool")
	staff.See("#machines", "Wipes itself when its server is released")
	staff.Fits("a machine that is to be wiped")
	staff.Shot("admin-pool-wipe")

	conn := h.Connect(t)
	_, err := conn.Exec(t.Context(), "UPDATE orders SET release_at = now() WHERE state = 'ENDED'")
	must(t, err)
	must(t, conn.Close(t.Context()))
	told(t, h, "nothing is left")
	rig.Until(t.Context(), func() bool {
		staff.Open("/admin/pool")
		return e2e.Eval[bool](staff, `document.querySelector("#machines").innerText.includes("Held back")`)
	})
	staff.See("#machines", "This machine wiped itself")
	nothingLeft(t, box)
	staff.Click("button[value=check]")
	staff.See("#machines", "Available")
}

// coded presses a button whose act wants a mailed code, and types it.
func coded(t *testing.T, h *e2e.Hub, staff *e2e.Page, act string) {
	t.Helper()
	const opened = `(b => { b.closest("details").open = true; return true })(document.querySelector('button[value="%s"]'))`
	e2e.Eval[bool](staff, fmt.Sprintf(opened, act))
	if act == "end" {
		staff.Choose("reason", "closed")
	}
	staff.Leave(`button[value="` + act + `"]`)
	staff.Until("the question for the code", `!!document.querySelector("[name=mailed_code]")`)
	about := map[string]string{"end": "End order", "wipe": "Wipe the machine"}[act]
	var text string
	if !rig.Until(t.Context(), func() bool { text = mailed(t, h, about); return text != "" }) {
		t.Fatal("no code was mailed")
	}
	code := regexp.MustCompile(`\b\d{4} \d{4}\b`).FindString(text)
	h.Plant("a mailed code", code)
	staff.Write("[name=mailed_code]", code)
	staff.Leave("#mailed-code button[type=submit]")
}

// mailed is the text of a mail to our staff with these words; empty when there is none.
func mailed(t *testing.T, h *e2e.Hub, about string) string {
	t.Helper()
	for _, m := range h.Mails(t, h.Demo.Staff.Email) {
		if strings.Contains(m.Text, about) {
			return m.Text
		}
	}
	return ""
}

// nothingLeft looks through the whole machine.
func nothingLeft(t *testing.T, box *targettest.Machine) {
	t.Helper()
	for ask, want := range map[string]string{
		"docker ps --all --quiet | wc -l; docker volume ls --quiet | wc -l; docker image ls --quiet | wc -l": "0\n0\n0",
		"systemctl is-active agentd agentd-llm-proxy agentd-containers | sort -u":                            "inactive",
		"ls -d /opt/gatehouse /var/lib/agentd /etc/agentd /home/gatehouse 2>/dev/null | wc -l":               "0",
		"id -u gatehouse 2>/dev/null | wc -l":                                                                "0",
		"systemctl is-active ssh nginx docker | sort -u":                                                     "active",
		"systemctl --failed --plain --no-legend | wc -l":                                                     "0",
		"ls /etc/gatehouse/wipe.under-way 2>/dev/null | wc -l":                                               "0",
		"sshd -T | grep -c -x 'permitrootlogin without-password'":                                            "1",
		"sshd -T | grep -c -x 'passwordauthentication no'":                                                   "1",
	} {
		if got, _ := box.Try(ask); strings.TrimSpace(got) != want {
			t.Errorf("%s\n\tgot  %q\n\twant %q", ask, got, want)
		}
	}
	must(t, filepath.WalkDir(box.Root, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil // gone meanwhile, or no file
		}
		if text, err := os.ReadFile(path); err == nil && strings.Contains(string(text), customersWord) {
			t.Errorf("the customer's word stands in %s", path)
		}
		return nil
	}))
}
