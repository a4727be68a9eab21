package signin

import "strings"

// named is a part of what a browser calls itself, and the name that people know.
type named struct{ mark, name string }

// The more special one stands first: most browsers also call themselves by the names of others.
var (
	browsers = []named{
		{"Edg/", "Edge"},
		{"EdgA/", "Edge"},
		{"EdgiOS/", "Edge"},
		{"OPR/", "Opera"},
		{"SamsungBrowser/", "Samsung Internet"},
		{"Vivaldi/", "Vivaldi"},
		{"FxiOS/", "Firefox"},
		{"Firefox/", "Firefox"},
		{"CriOS/", "Chrome"},
		{"HeadlessChrome/", "Chrome"},
		{"Chrome/", "Chrome"},
		{"Safari/", "Safari"},
	}
	systems = []named{
		{"iPhone", "iPhone"},
		{"iPad", "iPad"},
		{"Android", "Android"},
		{"CrOS", "ChromeOS"},
		{"Windows", "Windows"},
		{"Macintosh", "Mac"},
		{"Linux", "Linux"},
	}
)

// Device says which browser the sign-in is of, and on what it runs, as far as the browser tells; "" for what it does not.
func (s Signin) Device() (browser, system string) {
	return first(browsers, s.Browser), first(systems, s.Browser)
}

func first(known []named, in string) string {
	for _, n := range known {
		if strings.Contains(in, n.mark) {
			return n.name
		}
	}
	return ""
}
