package hx

// Style is how an answer is put into the page.
type Style string

// The styles in use. Morph styles keep focus, typed text and what the reader opened; prefer them for cards and rows.
const (
	OuterMorph Style = "outerMorph" // change the target into the answer
	InnerMorph Style = "innerMorph" // change the target's content into the answer
	OuterHTML  Style = "outerHTML"  // replace the target
	InnerHTML  Style = "innerHTML"  // replace the target's content
	Text       Style = "textContent"
	Before     Style = "beforebegin" // as the sibling before the target
	Prepend    Style = "afterbegin"  // as the target's first child
	Append     Style = "beforeend"   // as the target's last child
	After      Style = "afterend"    // as the sibling after the target
	Delete     Style = "delete"      // remove the target
	None       Style = "none"        // look at headers and partials only
)
