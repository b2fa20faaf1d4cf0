package main

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func mcpPaths(server string) []path {
	// call returns the structured content of a tool's result, or the text of its failure.
	call := func(ctx context.Context, name string, arguments results) (results, string, error) {
		client := mcp.NewClient(&mcp.Implementation{Name: "clients", Version: "1.0.0"}, nil)
		session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: server + "/mcp"}, nil)
		if err != nil {
			return nil, "", err
		}
		defer session.Close()
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: arguments})
		if err != nil {
			return nil, "", err
		}
		if result.IsError {
			text, _ := result.Content[0].(*mcp.TextContent)
			return nil, text.Text, nil
		}
		encoded, err := json.Marshal(result.StructuredContent)
		if err != nil {
			return nil, "", err
		}
		content := results{}
		return content, "", json.Unmarshal(encoded, &content)
	}
	ask := func(model string, text string) results {
		return results{"model": model, "input": text, "temperature": 0}
	}
	return []path{
		{"models", func(ctx context.Context) (any, error) {
			content, _, err := call(ctx, "list_models", results{})
			names := []any{}
			models, _ := content["models"].([]any)
			for _, each := range models {
				names = append(names, each.(map[string]any)["key"])
			}
			return names, err
		}},
		{"chat", func(ctx context.Context) (any, error) {
			content, _, err := call(ctx, "chat", ask(chatModel, question))
			return results{"text": content["answer"], "tokens": content["output_tokens"]}, err
		}},
		{"embeddings", func(ctx context.Context) (any, error) {
			content, _, err := call(ctx, "embed", results{"model": embedModel, "texts": texts})
			sizes := []int{}
			vectors, _ := content["vectors"].([]any)
			for _, each := range vectors {
				sizes = append(sizes, len(each.([]any)))
			}
			return sizes, err
		}},
		{"errors with a long context", func(ctx context.Context) (any, error) {
			seen := []any{}
			hot := ask(chatModel, question)
			hot["temperature"] = 2
			for _, each := range []results{ask("nobody/nothing", question), hot, ask(chatModel, tooLong)} {
				_, failure, err := call(ctx, "chat", each)
				if err != nil {
					return nil, err
				}
				seen = append(seen, results{"failure": failure})
			}
			return seen, nil
		}},
		{"abort", func(ctx context.Context) (any, error) {
			ctx, cancel := context.WithCancel(ctx)
			client := mcp.NewClient(&mcp.Implementation{Name: "clients", Version: "1.0.0"},
				&mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, request *mcp.ProgressNotificationClientRequest) {
					if strings.HasSuffix(request.Params.Message, "characters") {
						cancel()
					}
				}})
			session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: server + "/mcp"}, nil)
			if err != nil {
				return nil, err
			}
			defer session.Close()
			params := &mcp.CallToolParams{Name: "chat", Arguments: ask(endlessModel, question)}
			params.SetProgressToken("abort")
			_, err = session.CallTool(ctx, params)
			return errors.Is(err, context.Canceled), nil
		}},
	}
}
