package wire

// MaxAsked is how many questions to one server may be open at once. The hub asks no more; agentd keeps room for so many
// answers beside everything else it sends, so that none is lost however slowly the hub reads.
const MaxAsked = 1024
