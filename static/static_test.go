package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image/color"
	"image/png"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
)

// TestVendor_isWhatItSays recomputes the hashes of what others wrote, and finds a licence.
func TestVendor_isWhatItSays(t *testing.T) {
	t.Parallel()
	list, err := os.ReadFile("vendor/HASHES")
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]string{}
	for line := range strings.Lines(string(list)) {
		if name, hash, ok := strings.Cut(strings.TrimSpace(line), "  "); ok {
			said[name] = hash
		}
	}
	for _, name := range vendored {
		sum := sha512.Sum384(read("vendor/" + name + ".js"))
		if got := "sha384-" + base64.StdEncoding.EncodeToString(sum[:]); said[name+".js"] != got {
			t.Errorf("vendor/%s.js is %s, HASHES says %q", name, got, said[name+".js"])
		}
	}
	if len(said) != len(vendored) {
		t.Errorf("HASHES lists %d files, %d are served", len(said), len(vendored))
	}
	if licence, err := os.ReadFile("vendor/htmx.LICENSE"); err != nil || !bytes.Contains(licence, []byte("Zero-Clause BSD")) {
		t.Errorf("licence of htmx: %v", err)
	}
}

// TestJoin_forgetsNothing: a part that lies in the folder is served.
func TestJoin_forgetsNothing(t *testing.T) {
	t.Parallel()
	ours := slices.Concat(scripts, private[1:], shelf[1:], support[2:], hook[2:], channel[2:], []string{"worker"})
	for dir, listed := range map[string][]string{"css": append(slices.Clone(styles), "chart"), "js": ours, "vendor": vendored} {
		found, err := fs.Glob(files, dir+"/*.*")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			if name := strings.TrimSuffix(path.Base(f), path.Ext(f)); !slices.Contains(listed, name) {
				t.Errorf("%s is in no asset", f)
			}
		}
		if len(found) != len(listed) {
			t.Errorf("%s: %d files, %d listed", dir, len(found), len(listed))
		}
	}
}

func TestScript_bare(t *testing.T) {
	t.Parallel()
	const script = "/* What it is. */\n/* In two\n   lines. */\nconst a = \"//x\"; // stays\n  // goes\n\tb(a); /* stays */\n"
	if got := string(bare([]byte(script))); got != "const a = \"//x\"; // stays\n\tb(a); /* stays */\n" {
		t.Errorf("left is %q", got)
	}
}

func TestSizes_withinBudget(t *testing.T) {
	t.Parallel()
	for name, limit := range map[string]int{
		"app.css": 20 << 10, "chart.css": 2 << 10, "app.js": 24 << 10, "private.js": 15 << 10, "files.js": 8 << 10,
		"support.js": 4 << 10, "hook.js": 3 << 10, "channel.js": 3 << 10, "sprite.svg": 8 << 10,
	} {
		if p := assets()[name].packed(); len(p.gz) > limit {
			t.Errorf("%s: %d bytes compressed, the budget is %d", name, len(p.gz), limit)
		}
	}
}

func get(t *testing.T, url, accept string) *http.Response {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if accept != "" {
		r.Header.Set("Accept-Encoding", accept)
	}
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, r)
	res := w.Result()
	t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

func TestHandler_servesEachForm(t *testing.T) {
	t.Parallel()
	plain := func(r io.Reader) (io.Reader, error) { return r, nil }
	unzip := func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }
	unbr := func(r io.Reader) (io.Reader, error) { return brotli.NewReader(r), nil }
	for _, tc := range []struct {
		situation, accept, encoding string
		open                        func(io.Reader) (io.Reader, error)
	}{
		{"a browser of today", "gzip, deflate, br, zstd", "br", unbr},
		{"gzip only", "gzip", "gzip", unzip},
		{"brotli refused", "br;q=0, gzip;q=0.5", "gzip", unzip},
		{"nothing said", "", "", plain},
	} {
		t.Run(tc.situation, func(t *testing.T) {
			t.Parallel()
			for name, a := range assets() {
				res := get(t, Path(name), tc.accept)
				if got := res.Header.Get("Content-Encoding"); got != tc.encoding {
					t.Fatalf("%s: encoding %q", name, got)
				}
				r, err := tc.open(res.Body)
				if err != nil {
					t.Fatal(err)
				}
				body, err := io.ReadAll(r)
				if err != nil || !bytes.Equal(body, a.body) {
					t.Errorf("%s: not what it was made from (%v)", name, err)
				}
			}
		})
	}
}

func TestHandler_headers(t *testing.T) {
	t.Parallel()
	types := map[string]string{
		"icon-192.png": "image/png", "app.css": "text/css", "app.js": "javascript",
		"sprite.svg": "image/svg+xml", "favicon.svg": "image/svg+xml",
	}
	for name, kind := range types {
		res := get(t, Path(name), "br")
		h := res.Header
		if !strings.Contains(h.Get("Content-Type"), kind) || !strings.Contains(h.Get("Cache-Control"), "immutable") || h.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: %v", name, h)
		}
	}
}

func TestHandler_unknownNames(t *testing.T) {
	t.Parallel()
	for _, url := range []string{Prefix, Prefix + "app.css", Prefix + "app.AAAAAAAAAAAA.css", Prefix + "../asset.go", Path("nothing.css")} {
		if res := get(t, url, ""); res.StatusCode != http.StatusNotFound {
			t.Errorf("%s answered %d", url, res.StatusCode)
		}
	}
}

func TestHashedName_followsContent(t *testing.T) {
	t.Parallel()
	a, b := hashedName("app.css", []byte("a{}")), hashedName("app.css", []byte("b{}"))
	if a == b || !strings.HasPrefix(a, "app.") || !strings.HasSuffix(a, ".css") {
		t.Errorf("%s, %s", a, b)
	}
}

// TestStyle_staysAtHome: nothing is loaded from elsewhere, and the script brings no code to run from text.
func TestStyle_staysAtHome(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"url(", "@import", "http:"} {
		if bytes.Contains(style(), []byte(bad)) {
			t.Errorf("app.css contains %s", bad)
		}
	}
	for _, name := range scripts {
		for _, bad := range []string{"eval(", "Function(", "innerHTML", "insertAdjacentHTML", ".style."} {
			if bytes.Contains(read("js/"+name+".js"), []byte(bad)) {
				t.Errorf("js/%s.js contains %s", name, bad)
			}
		}
	}
}

// TestIcons_areTheLogo: the pictures are those that were drawn from this logo, of the sizes that their names say, and the
// manifest names them.
func TestIcons_areTheLogo(t *testing.T) {
	t.Parallel()
	list, err := os.ReadFile("icon/HASHES")
	if err != nil {
		t.Fatal(err)
	}
	pictures := 0
	for line := range strings.Lines(string(list)) {
		name, hash, _ := strings.Cut(strings.TrimSpace(line), "  ")
		file := "icon/" + name
		if name == "favicon.svg" {
			file = name
		}
		body := read(file)
		if sum := sha512.Sum384(body); hash != "sha384-"+base64.StdEncoding.EncodeToString(sum[:]) {
			t.Errorf("%s is not the file that HASHES names: draw all pictures from favicon.svg again", name)
		}
		if path.Ext(name) != ".png" {
			continue
		}
		pictures++
		c, err := png.DecodeConfig(bytes.NewReader(body))
		if want := fmt.Sprintf("-%d.png", c.Width); err != nil || c.Width != c.Height || !strings.HasSuffix(name, want) {
			t.Errorf("%s is %d by %d (%v)", name, c.Width, c.Height, err)
		}
	}
	if all, err := fs.Glob(files, "icon/*.png"); err != nil || len(all) != pictures || pictures != 5 {
		t.Errorf("%d pictures, %d in HASHES, %v", len(all), pictures, err)
	}
	blue := color.NRGBA{0x24, 0x46, 0xb8, 0xff}
	for name, corner := range map[string]color.Color{"icon-512": color.NRGBA{}, "maskable-512": blue, "apple-180": blue} {
		picture, err := png.Decode(bytes.NewReader(read("icon/" + name + ".png")))
		if err != nil {
			t.Fatal(err)
		}
		at := func(x, y int) color.Color { return color.NRGBAModel.Convert(picture.At(x, y)) }
		size, white := picture.Bounds().Dx(), color.NRGBA{255, 255, 255, 255}
		if at(0, 0) != corner || at(size/4, size*2/5) != white || at(size/2, size*3/4) != blue {
			t.Errorf("%s does not show the logo: %v, %v, %v", name, at(0, 0), at(size/4, size*2/5), at(size/2, size*3/4))
		}
	}
}

// TestLasting: the manifest and the service worker stay at one address, are asked for again, and name only what is served.
func TestLasting(t *testing.T) {
	t.Parallel()
	for at, kind := range map[string]string{WorkerPath: "text/javascript", ManifestPath: "application/manifest+json"} {
		res := get(t, at, "")
		body, err := io.ReadAll(res.Body)
		h := res.Header
		if err != nil || !strings.HasPrefix(h.Get("Content-Type"), kind) || h.Get("Cache-Control") != "no-cache" {
			t.Fatalf("%s: %d, %v, %v", at, res.StatusCode, h, err)
		}
		named := regexp.MustCompile(Prefix+`[^"]+`).FindAllString(string(body), -1)
		for _, address := range named {
			if res := get(t, address, ""); res.StatusCode != http.StatusOK {
				t.Errorf("%s names %s: %d", at, address, res.StatusCode)
			}
		}
		if len(named) < 4 {
			t.Errorf("%s names %v", at, named)
		}
	}
	var app struct {
		ID, Name, Display string
		Start             string `json:"start_url"`
		Icons             []struct{ Src, Sizes, Purpose string }
	}
	err := json.Unmarshal(manifest(), &app)
	if err != nil || app.ID != "/app" || app.Start != "/app" || app.Display != "standalone" || len(app.Icons) != 4 {
		t.Errorf("the manifest is %+v, %v", app, err)
	}
}
