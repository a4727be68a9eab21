package fleet

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/hetznercloud/hcloud-go/v2/hcloud/schema"

	"gatehouse/app/provider/target/targettest"
	"gatehouse/app/provider/vpshost/hetzner/hetznertest"
	"gatehouse/cmd/hub/e2e"
)

// TestHetzner: an order rents a machine through the provider's API, which loses its first answer; the bare machine that boots with
// what it was ordered with becomes the customer's server. In the soak: the set-up itself is TestPool's.
func TestHetzner(t *testing.T) {
	if why := targettest.Lack(); why != "" {
		t.Skip(why)
	}
	if os.Getenv("GATEHOUSE_SOAK") == "" {
		t.Skip("a second whole machine is set up in the soak")
	}
	project := hetznertest.New(t)
	project.Fail(hetznertest.Fault{Method: "POST", Path: "/servers", After: true})
	h, _ := e2e.Start(
		t,
		"HUB_PROVIDER=hetzner",
		"HETZNER_TOKEN="+hetznertest.Token,
		"HETZNER_MACHINES=eu=cx23@nbg1",
		"HETZNER_URL="+project.URL,
	)
	var box *targettest.Machine
	var given *handed
	var once sync.Once
	hubKey := ""
	project.Boot = func(o schema.ServerCreateRequest, key string) string {
		once.Do(func() {
			hubKey = key
			box = targettest.Boot(t, ordered(o.UserData, key))
			tunnel(t, box, h.URL(""))
			given = watch(t, box)
		})
		return box.Address
	}
	owner, staff := h.NewPage(t), h.NewPage(t)
	staff.SignInStaff()
	order(owner)
	staff.Open("/admin/orders")
	staff.Click("main table a[href^='/admin/orders/']")
	ready(t, h, staff)
	owner.Open("/app/chat")
	owner.Say("How full is the disk?")
	owner.Until("the answer", `document.querySelector(".turn.answer:last-of-type .turn-foot")?.dataset.state === "done"`)
	left(t, box, "'"+hubKey+"'", given)
	if project.Made() != 1 {
		t.Errorf("%d machines were made", project.Made())
	}
}

// ordered is what a machine does with its order at the first boot, as cloud-init does.
func ordered(userData, key string) targettest.Option {
	return func(t testing.TB, m *targettest.Machine) {
		var config struct {
			Keys map[string]string `json:"ssh_keys"`
		}
		if err := json.Unmarshal([]byte(strings.TrimPrefix(userData, "#cloud-config\n")), &config); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{
			"etc/ssh/ssh_host_ed25519_key": config.Keys["ed25519_private"], "etc/ssh/ssh_host_ed25519_key.pub": config.Keys["ed25519_public"] + "\n",
			"root/.ssh/authorized_keys": key + "\n",
		} {
			old, _ := os.ReadFile(filepath.Join(m.Root, name))
			if strings.HasSuffix(name, "authorized_keys") {
				text = string(old) + text // the test's own key stays
			}
			if err := os.WriteFile(filepath.Join(m.Root, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}
