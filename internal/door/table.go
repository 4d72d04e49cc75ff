package door

import "reflect"

// Tool is a tool as described to clients.
type Tool struct{ Name, Title, Doc string }

// Tools are all tools, in the order they are shown.
var Tools = []Tool{
	{"debate", "Debate a question", "Have several AI models debate a question and get the decision with its dissent. " +
		"Answers within about 50 seconds: with the decision, or with state \"running\" and what to call next. " +
		"The debate continues either way. Calling it again with the same arguments joins the same debate."},
	{"debate_wait", "Wait for a debate",
		"Wait for a running debate. Call it again, with the after it returned, while state is \"running\"."},
	{"debate_say", "Send a debate a message", "Give all seats of a running debate a fact or a constraint."},
	{"debate_stop", "End a debate", "End a running debate now: it is decided from the answers so far."},
	{"decisions_search", "Search decisions", "Search this project's earlier decisions."},
	{"decision_show", "Show a decision", "Show one decision in full: claims, checks, votes and dissent."},
}

// Row is a field of a request or an answer.
type Row struct{ Name, Type, Doc string }

// Fields returns the fields of a request or an answer, as described to clients. The documentation and the help are
// made from it, so they cannot differ from the schema.
func Fields[T any]() (rows []Row) {
	s := schemaOf(reflect.TypeFor[T]())
	for _, name := range s.PropertyOrder {
		p := s.Properties[name]
		if p == nil { // the client may not set it
			continue
		}
		kind := p.Type
		if kind == "array" && p.Items != nil {
			kind = "list of " + p.Items.Type + "s"
		}
		rows = append(rows, Row{name, kind, p.Description})
	}
	return rows
}
