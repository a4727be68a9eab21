package receipt

// Noticed is what finds flagged content.
const Noticed = noticed
