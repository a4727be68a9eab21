package help

// IndexProps is the list of all articles or, with Q, what was found.
type IndexProps struct {
	Base   string // Public or Portal
	Q      string
	Topics []Topic
	Hits   []Hit
}

// Topic is a group of articles. ID names the words of its heading.
type Topic struct {
	ID    string
	Links []Link
}

// Link leads to an article. Text is what the article begins with.
type Link struct{ Href, Title, Text string }

// Piece is a part of a text; Mark says that it is what was looked for.
type Piece struct {
	Text string
	Mark bool
}

// Hit is an article that was found, with a part of its text.
type Hit struct {
	Href           string
	Title, Excerpt []Piece
}

// ArticleProps is one article. Its texts are HTML that was made safe.
type ArticleProps struct {
	Base, Title, Lead string
	Sections          []Section
	More              []Link // other articles of the same topic
}

// Section is one part of an article.
type Section struct{ ID, Title, HTML string }
