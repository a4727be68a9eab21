package file_test

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/app/web/portal/portaltest"
)

// TestView_text: text stands there as it is, Markdown without HTML or pictures from elsewhere, and neither SVG nor HTML runs.
func TestView_text(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.Write(t, map[string]string{
		"a.txt": "<script>alert(1)</script>", "page.html": "<b>bold</b>", "x.svg": `<svg onload="x"><script>1</script></svg>`,
		"n.md": "# Bread\n\n<img src=x onerror=y>\n\n![logo](https://example.com/spy.png)\n\n[site](javascript:x)", "e.txt": "",
		"b.bin": "a\x00b", "long.txt": strings.Repeat("ä", 150_000),
	})
	for name, want := range map[string]string{
		"a.txt": "<script>alert(1)</script>", "page.html": "<b>bold</b>", "x.svg": "<svg onload", "e.txt": "This file is empty",
	} {
		got := d.Get(at("/app/files/view", name))
		portaltest.WantSound(t, name, got.Document)
		if main := got.Find("#preview"); !strings.Contains(main.Text(), want) || main.Find("script, svg:not(.icon), b").Length() != 0 {
			t.Errorf("%s: %s", name, main.Text())
		}
	}
	md := d.Get(at("/app/files/view", "n.md")).Find("#preview .prose")
	if md.Find("h3, h2").Text() != "Bread" || md.Find("img, script, [onerror], a[href^=javascript]").Length() != 0 {
		html, _ := md.Html()
		t.Errorf("%s", html)
	}
	if got := d.Get(at("/app/files/view", "b.bin")); !strings.Contains(got.Find("#preview").Text(), "no preview") {
		t.Errorf("%s", got.Find("#preview").Text())
	}
	long := d.Get(at("/app/files/view", "long.txt")).Find("#preview")
	text := long.Find("pre").Text()
	if len(text) > wire.MaxPreview || !strings.HasSuffix(text, "ä") || !strings.Contains(long.Text(), "only the beginning") {
		t.Errorf("%d bytes: …%q", len(text), text[len(text)-4:])
	}
}

// pictures is a file that holds more than its picture, in each format.
func pictures(t *testing.T, w, h int) map[string][]byte {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.SetNRGBA(x, y, color.NRGBA{R: uint8(x * 255 / w), G: uint8(y * 255 / h), A: 255})
		}
	}
	var j, p, g bytes.Buffer
	portaltest.Must(t, jpeg.Encode(&j, img, nil))
	portaltest.Must(t, png.Encode(&p, img))
	portaltest.Must(t, gif.Encode(&g, img, nil))
	return map[string][]byte{"p.jpg": j.Bytes(), "p.png": p.Bytes(), "p.gif": g.Bytes()}
}

// TestImage: a picture comes drawn anew, in one of two formats, without anything else that stood in its file.
func TestImage(t *testing.T) {
	t.Parallel()
	d := open(t)
	const planted = "<script>GPS 48.2 16.4</script>"
	for name, raw := range pictures(t, 2000, 500) {
		portaltest.Must(t, os.WriteFile(filepath.Join(d.Data, name), append(raw, planted...), 0o600))
		page := d.Get(at("/app/files/view", name))
		src := page.Find("#preview img").AttrOr("src", "")
		got := d.Get(src)
		kind := got.Header.Get("Content-Type")
		if got.StatusCode != http.StatusOK || kind != "image/jpeg" || got.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Fatalf("%s: %d %s", name, got.StatusCode, kind)
		}
		img, _, err := image.Decode(strings.NewReader(got.Source))
		if err != nil || img.Bounds().Size() != image.Pt(1600, 400) || strings.Contains(got.Source, "script") {
			t.Errorf("%s: %v, %v", name, img.Bounds(), err)
		}
		if r, g, _, _ := img.At(1500, 10).RGBA(); r < 0xd000 || g > 0x2000 {
			t.Errorf("%s: it is another picture: %x %x", name, r, g)
		}
	}
}

// TestImage_refused: nothing but a picture within limits is drawn; what is no picture is not handed out as one.
func TestImage_refused(t *testing.T) {
	t.Parallel()
	d := open(t)
	bomb := pictures(t, 10, 10)["p.png"]
	bomb = bytes.Replace(bomb, []byte("IHDR\x00\x00\x00\x0a\x00\x00\x00\x0a"), []byte("IHDR\x00\x01\x00\x00\x00\x01\x00\x00"), 1)
	cut := pictures(t, 50, 50)["p.png"][:60]
	d.Write(t, map[string]string{"bomb.png": string(bomb), "x.png": "<svg xmlns='http://www.w3.org/2000/svg'/>", "cut.png": string(cut)})
	for _, name := range []string{"bomb.png", "x.png", "cut.png"} {
		got := d.Get(at("/app/files/image", name))
		if got.StatusCode != http.StatusConflict || strings.HasPrefix(got.Header.Get("Content-Type"), "image/") {
			t.Errorf("%s: %d %s", name, got.StatusCode, got.Header.Get("Content-Type"))
		}
	}
}

// TestView_escapes: no path leads out of the data folder or to what may hold secrets, whichever way it is asked for.
func TestView_escapes(t *testing.T) {
	t.Parallel()
	d := open(t)
	portaltest.Must(t, os.WriteFile(filepath.Join(d.Path, "outside.txt"), []byte("outside"), 0o600))
	d.Write(t, map[string]string{"in/a.txt": "a", ".env": "KEY=outside", ".ssh/id": "outside"})
	d.link(filepath.Join(d.Path, "outside.txt"), "link.txt")
	d.link(d.Path, "up")
	portaltest.Must(t, os.Link(filepath.Join(d.Path, "outside.txt"), filepath.Join(d.Data, "hard.txt")))
	for _, path := range []string{
		"../outside.txt", "in/../../outside.txt", "/etc/passwd", "link.txt", "up/outside.txt", "hard.txt", ".env", ".ssh/id",
		"in/a.txt\x00", "in",
	} {
		for _, page := range []string{"/app/files/view", "/app/files/image", "/app/files/download"} {
			got := d.Get(at(page, path, "offset", "0", "key", "x"))
			if got.StatusCode < 400 || strings.Contains(got.Source, "outside\n") || strings.Contains(got.Source, "KEY=") {
				t.Errorf("%s of %q: %d", page, path, got.StatusCode)
			}
		}
	}
	for _, path := range []string{"..", "up", ".ssh", "/"} {
		if got := d.Get(at("/app/files", path)); got.StatusCode < 400 {
			t.Errorf("%q is listed: %d", path, got.StatusCode)
		}
	}
}
