package help

import (
	"embed"
	"path"
	"sync"

	"gatehouse/app/document"
)

//go:embed articles
var files embed.FS

// Article answers one question.
type Article struct {
	Slug string // its name in addresses, the same in all languages
	document.Document
}

// Summary is what the article begins with, without Markdown.
func (a Article) Summary() string { return plain(a.Lead) }

// Topic is a group of articles, in the order in which they are listed.
type Topic struct {
	ID       string // names the words of its heading
	Articles []Article
}

// topics are the groups and their articles, in the order of the page.
var topics = []struct {
	id    string
	slugs []string
}{
	{"start", []string{"first-request", "levels", "rules", "outside-contact"}},
	{"devices", []string{"another-device", "lost-device", "notifications"}},
	{"work", []string{"files", "take-back", "credentials", "conversations", "server-away"}},
	{"privacy", []string{"what-we-see", "your-data", "staff-help", "support-access", "contact"}},
}

// book is the articles of one language.
type book struct {
	topics []Topic
	words  []indexed
}

// fallback is the language for readers of any other.
const fallback = "en"

// books are the languages that have articles; they are read once.
var books = sync.OnceValue(func() map[string]book {
	dirs, err := files.ReadDir("articles")
	if err != nil {
		panic("help: " + err.Error()) // embedded: any test finds it
	}
	all := map[string]book{}
	for _, d := range dirs {
		all[d.Name()] = open(d.Name())
	}
	return all
})

// open reads the articles of a language.
func open(lang string) book {
	var b book
	for _, t := range topics {
		topic := Topic{ID: t.id}
		for _, slug := range t.slugs {
			src, err := files.ReadFile(path.Join("articles", lang, slug+".md"))
			if err != nil {
				panic("help: " + err.Error()) // embedded: any test finds it
			}
			topic.Articles = append(topic.Articles, Article{Slug: slug, Document: document.Parse(string(src))})
		}
		b.topics = append(b.topics, topic)
	}
	b.words = index(lang, b.topics)
	return b
}

// bookOf is the articles for a locale.
func bookOf(locale string) book {
	if b, ok := books()[locale]; ok {
		return b
	}
	return books()[fallback]
}

// Topics are all articles for a locale, in groups. A locale without articles gets the English ones.
func Topics(locale string) []Topic { return bookOf(locale).topics }

// Find is one article for a locale; ok is false when there is none of that name.
func Find(locale, slug string) (a Article, ok bool) {
	for _, t := range Topics(locale) {
		for _, a := range t.Articles {
			if a.Slug == slug {
				return a, true
			}
		}
	}
	return Article{}, false
}
