package story

import (
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"gatehouse/cmd/hub/e2e"
)

// TestSettings_closed: our staff find the setting that takes orders, turn it off with a reason, and the checkout says so to a newcomer;
// one press undoes it. Then somebody gives themself a face.
func TestSettings_closed(t *testing.T) {
	h, _ := e2e.Start(t)
	p, guest := h.NewPage(t), h.NewPage(t)
	p.SignInStaff()
	p.Open("/admin/settings?of=orders")
	p.InspectOpen("/admin/settings?of=orders")
	p.Desktop()
	const box = "#setting-orders-open"
	p.Click(box + " details summary")
	p.Choose("setting-orders-open-value", "off")
	p.Write("[name=setting-orders-open-reason]", "We are on holiday.")
	p.Leave(box + " button[value=set]")
	p.See(box, "Changed")

	guest.Open("/checkout?plan=build")
	for name, text := range map[string]string{
		"name": "Some Body", "business": "Some Bakery", "email": "some@example.com", "password": "correct staple battery",
	} {
		guest.Write("[name="+name+"]", text)
	}
	guest.Leave("main form[method=post] button[type=submit]")
	guest.See("main", "We take no new orders at the moment")

	p.Click(box + " details summary")
	p.Write("[name=setting-orders-open-reason]", "We are back.")
	p.Leave(box + " button[value=undo]")
	p.Click(box + " details:last-of-type summary")
	p.See(box, "From Off back to the default On")
	p.InspectOpen("/admin/settings with a history")
	p.Desktop()

	file := filepath.Join(t.TempDir(), "me.png")
	f, err := os.Create(file)
	if err == nil {
		err = png.Encode(f, image.NewGray(image.Rect(0, 0, 600, 400)))
	}
	if err != nil || f.Close() != nil {
		t.Fatal(err)
	}
	p.Open("/admin/profile")
	p.Do(chromedp.SetUploadFiles(chromedp.CSS("#f-photo"), []string{file}))
	p.Leave("#photo-form button[value=save]")
	p.Until("the photo", `[...document.querySelectorAll("#photo-form img")].some(i => i.complete && i.naturalWidth === 256)`)
	p.InspectOpen("/admin/profile with a photo")
}
