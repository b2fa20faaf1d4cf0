// Runs the paths of a client against the server at HEARTH_URL, and prints what each saw as a line of JSON. After the last path it
// stays until its standard input ends, so that a request that goes on is not stopped by its end.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

const (
	chatModel    = "hearth/starter-chat"
	embedModel   = "hearth/starter-embed"
	endlessModel = "test/endless"
	question     = "What is the capital of France?"
	toolRequest  = "Get the tide of Brest"
	toolResult   = `{"harbour": "Brest", "tide": "high"}`
)

var (
	tooLong    = strings.Repeat("word ", 20_000)
	texts      = []string{"The sea is calm.", "The sky is blue."}
	sumSchema  = object("answer", "integer")
	tideSchema = object("harbour", "string")
)

type results map[string]any

// path is a way through a client; run returns what the test compares.
type path struct {
	name string
	run  func(context.Context) (any, error)
}

func main() {
	server := os.Getenv("HEARTH_URL")
	clients := map[string]func(string) []path{
		"openai-go":        openAiPaths,
		"anthropic-sdk-go": anthropicPaths,
		"ollama api":       ollamaPaths,
		"mcp go-sdk":       mcpPaths,
	}
	lines := json.NewEncoder(os.Stdout)
	for _, each := range clients[os.Args[1]](server) {
		line := results{"path": each.name}
		if result, err := each.run(context.Background()); err != nil {
			line["failure"] = err.Error()
		} else {
			line["result"] = result
		}
		if err := lines.Encode(line); err != nil {
			panic(err)
		}
	}
	io.Copy(io.Discard, os.Stdin)
}

// object is the JSON schema of an object with one property.
func object(property string, kind string) map[string]any {
	return map[string]any{
		"type":                 "object",
		"properties":           map[string]any{property: map[string]any{"type": kind}},
		"required":             []string{property},
		"additionalProperties": false,
	}
}

func parse(text string) (any, error) {
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		return nil, fmt.Errorf("%w in %s", err, text)
	}
	return value, nil
}
