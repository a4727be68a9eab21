package admin_test

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"gatehouse/app/staff"
)

// photograph is a PNG of one colour, larger than other pages take.
func photograph(t *testing.T, side int) []byte {
	t.Helper()
	p := image.NewRGBA(image.Rect(0, 0, side, side))
	for i := range p.Pix {
		p.Pix[i] = byte(i * 7 % 251)
	}
	p.SetRGBA(0, 0, color.RGBA{R: 255, A: 255})
	var b bytes.Buffer
	must(t, (&png.Encoder{CompressionLevel: png.NoCompression}).Encode(&b, p))
	return b.Bytes()
}

// upload sends a file with the form of the profile, as a browser does.
func (h *hub) upload(t *testing.T, secret string, file []byte, pairs ...string) (int, string) {
	t.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	must(t, form.WriteField("csrf", h.doc(t, secret, "/admin/profile").Find("form [name=csrf]").First().AttrOr("value", "")))
	for i := 0; i < len(pairs); i += 2 {
		must(t, form.WriteField(pairs[i], pairs[i+1]))
	}
	w, err := form.CreateFormFile("photo", "me.png")
	must(t, err)
	_, err = w.Write(file)
	must(t, err)
	must(t, form.Close())
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.url+"/admin/profile/photo", &b)
	must(t, err)
	req.Header.Set("Content-Type", form.FormDataContentType())
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	req.Header.Set("Cookie", "ssid="+secret)
	res, err := http.DefaultTransport.RoundTrip(req)
	must(t, err)
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	must(t, err)
	return res.StatusCode, res.Header.Get("Location") + string(text)
}

// TestPhoto: a photo that somebody of our staff sends becomes a small square of our own making, which stands in the list, in the audit
// log and on their page; another one takes its place, and without one there are initials. What is no photo is refused beside its field.
func TestPhoto(t *testing.T) {
	t.Parallel()
	h := start(t)
	m, boss := h.joined(t, "boss@example.com", staff.Owner)
	for name, file := range map[string][]byte{"a page": []byte("<svg/>"), "nothing": {}} {
		status, text := h.upload(t, boss, file)
		if status != http.StatusUnprocessableEntity || !strings.Contains(text, "no photo that we can read") {
			t.Errorf("%s: %d", name, status)
		}
	}
	large := photograph(t, 800)
	if len(large) <= 1<<20 {
		t.Fatalf("%d bytes are no more than other pages take", len(large))
	}
	if status, text := h.upload(t, boss, large); status != http.StatusSeeOther {
		t.Fatalf("%d %.300s", status, text)
	}
	at := func(page string) string {
		src, _ := h.doc(t, boss, page).Find("main img[src*='/photo?of=']").First().Attr("src")
		return src
	}
	first := at("/admin/profile")
	if first == "" || at("/admin/staff") != first || at("/admin/audit") != first {
		t.Errorf("shown as %q, %q, %q", first, at("/admin/staff"), at("/admin/audit"))
	}
	status, text := h.get(t, boss, first)
	p, err := jpeg.Decode(strings.NewReader(text))
	if status != http.StatusOK || err != nil || p.Bounds().Dx() != 256 {
		t.Fatalf("the photo: %d, %v", status, err)
	}
	if status, _ := h.get(t, "", first); status == http.StatusOK {
		t.Error("anybody sees it")
	}
	if status, text := h.upload(t, boss, photograph(t, 300)); status != http.StatusSeeOther || at("/admin/profile") == first {
		t.Errorf("another one: %d %.300s", status, text)
	}
	h.wants(t, http.StatusSeeOther, boss, "/admin/profile/photo", "act", "remove")
	if status, _ := h.get(t, boss, "/admin/staff/"+string(m.ID)+"/photo"); status != http.StatusNotFound || at("/admin/profile") != "" {
		t.Errorf("after it was removed: %d", status)
	}
	_, text = h.get(t, boss, "/admin/audit")
	holds(t, "on record", text, []string{"Changed their photo", "Removed their photo"}, []string{"⟦"})
	if status, _ := h.upload(t, boss, make([]byte, 9<<20)); status != http.StatusRequestEntityTooLarge {
		t.Errorf("too large: %d", status)
	}
}
