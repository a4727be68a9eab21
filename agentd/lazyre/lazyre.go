package lazyre

import (
	"regexp"
	"sync"
)

// Regexp is a regular expression that is compiled on first use.
type Regexp struct {
	expr string
	once sync.Once
	re   *regexp.Regexp
}

var (
	mu  sync.Mutex
	all []*Regexp
)

// MustCompile notes an expression. One that is wrong panics on first use, and in CompileAll.
func MustCompile(expr string) *Regexp {
	r := &Regexp{expr: expr}
	mu.Lock()
	defer mu.Unlock()
	all = append(all, r)
	return r
}

// CompileAll compiles every expression of the program and says how many there are: for a test.
func CompileAll() int {
	mu.Lock()
	defer mu.Unlock()
	for _, r := range all {
		r.get()
	}
	return len(all)
}

func (r *Regexp) get() *regexp.Regexp {
	r.once.Do(func() { r.re = regexp.MustCompile(r.expr) })
	return r.re
}

// String is the expression.
func (r *Regexp) String() string { return r.expr }

// The methods below are those of regexp.Regexp.

// MatchString is that of regexp.Regexp.
func (r *Regexp) MatchString(s string) bool { return r.get().MatchString(s) }

// Match is that of regexp.Regexp.
func (r *Regexp) Match(b []byte) bool { return r.get().Match(b) }

// FindString is that of regexp.Regexp.
func (r *Regexp) FindString(s string) string { return r.get().FindString(s) }

// FindStringIndex is that of regexp.Regexp.
func (r *Regexp) FindStringIndex(s string) []int { return r.get().FindStringIndex(s) }

// FindStringSubmatch is that of regexp.Regexp.
func (r *Regexp) FindStringSubmatch(s string) []string { return r.get().FindStringSubmatch(s) }

// SubexpNames is that of regexp.Regexp.
func (r *Regexp) SubexpNames() []string { return r.get().SubexpNames() }

// FindStringSubmatchIndex is that of regexp.Regexp.
func (r *Regexp) FindStringSubmatchIndex(s string) []int { return r.get().FindStringSubmatchIndex(s) }

// FindAllString is that of regexp.Regexp.
func (r *Regexp) FindAllString(s string, n int) []string { return r.get().FindAllString(s, n) }

// FindAllStringIndex is that of regexp.Regexp.
func (r *Regexp) FindAllStringIndex(s string, n int) [][]int { return r.get().FindAllStringIndex(s, n) }

// FindAllStringSubmatch is that of regexp.Regexp.
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.get().FindAllStringSubmatch(s, n)
}

// FindAllStringSubmatchIndex is that of regexp.Regexp.
func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return r.get().FindAllStringSubmatchIndex(s, n)
}

// ReplaceAllString is that of regexp.Regexp.
func (r *Regexp) ReplaceAllString(s, repl string) string { return r.get().ReplaceAllString(s, repl) }

// ReplaceAllStringFunc is that of regexp.Regexp.
func (r *Regexp) ReplaceAllStringFunc(s string, repl func(string) string) string {
	return r.get().ReplaceAllStringFunc(s, repl)
}
