package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"

	"github.com/ollama/ollama/api"
)

func ollamaPaths(server string) []path {
	address, err := url.Parse(server)
	if err != nil {
		panic(err)
	}
	client := api.NewClient(address, http.DefaultClient)
	ask := func(model string, text string, stream bool) *api.ChatRequest {
		return &api.ChatRequest{
			Model:    model,
			Stream:   &stream,
			Options:  map[string]any{"temperature": 0},
			Messages: []api.Message{{Role: "user", Content: text}},
		}
	}
	// chat collects the parts of an answer.
	chat := func(ctx context.Context, request *api.ChatRequest) (api.ChatResponse, error) {
		whole := api.ChatResponse{}
		err := client.Chat(ctx, request, func(part api.ChatResponse) error {
			text, calls := whole.Message.Content, whole.Message.ToolCalls
			whole = part
			whole.Message.Content = text + part.Message.Content
			whole.Message.ToolCalls = append(calls, part.Message.ToolCalls...)
			return nil
		})
		return whole, err
	}
	see := func(whole api.ChatResponse, err error) (any, error) {
		return results{"text": whole.Message.Content, "tokens": whole.EvalCount}, err
	}
	return []path{
		{"models", func(ctx context.Context) (any, error) {
			listed, err := client.List(ctx)
			if err != nil {
				return nil, err
			}
			names := []string{}
			for _, each := range listed.Models {
				names = append(names, each.Model)
			}
			return names, nil
		}},
		{"shown model", func(ctx context.Context) (any, error) {
			shown, err := client.Show(ctx, &api.ShowRequest{Model: chatModel})
			if err != nil {
				return nil, err
			}
			return results{"family": shown.Details.Family, "capabilities": shown.Capabilities}, nil
		}},
		{"chat", func(ctx context.Context) (any, error) {
			return see(chat(ctx, ask(chatModel, question, false)))
		}},
		{"stream", func(ctx context.Context) (any, error) {
			return see(chat(ctx, ask(chatModel, question, true)))
		}},
		{"tools", func(ctx context.Context) (any, error) {
			request := ask(chatModel, toolRequest, true)
			tool := api.Tool{Type: "function", Function: api.ToolFunction{
				Name: "get_tide", Description: "Tide of a harbour"}}
			schema, err := json.Marshal(tideSchema)
			if err != nil {
				return nil, err
			}
			if err := json.Unmarshal(schema, &tool.Function.Parameters); err != nil {
				return nil, err
			}
			request.Tools = api.Tools{tool}
			first, err := chat(ctx, request)
			if err != nil || len(first.Message.ToolCalls) == 0 {
				return nil, errors.Join(errors.New("no call"), err)
			}
			call := first.Message.ToolCalls[0]
			request.Messages = append(request.Messages, first.Message,
				api.Message{Role: "tool", ToolName: call.Function.Name, ToolCallID: call.ID, Content: toolResult})
			second, err := chat(ctx, request)
			return results{"name": call.Function.Name, "arguments": call.Function.Arguments,
				"text": second.Message.Content}, err
		}},
		{"structured output", func(ctx context.Context) (any, error) {
			request := ask(chatModel, "What is 2 + 3?", false)
			schema, err := json.Marshal(sumSchema)
			if err != nil {
				return nil, err
			}
			request.Format = schema
			whole, err := chat(ctx, request)
			if err != nil {
				return nil, err
			}
			return parse(whole.Message.Content)
		}},
		{"embeddings", func(ctx context.Context) (any, error) {
			response, err := client.Embed(ctx, &api.EmbedRequest{Model: embedModel, Input: texts})
			if err != nil {
				return nil, err
			}
			sizes := []int{}
			for _, each := range response.Embeddings {
				sizes = append(sizes, len(each))
			}
			return sizes, nil
		}},
		{"errors with a long context", func(ctx context.Context) (any, error) {
			long := ask(chatModel, tooLong, true)
			shift := false
			long.Shift, long.Truncate = &shift, &shift
			seen := []any{}
			for _, request := range []*api.ChatRequest{ask("nobody/nothing", question, true), long} {
				_, err := chat(ctx, request)
				failure := api.StatusError{}
				if !errors.As(err, &failure) {
					return nil, errors.Join(errors.New("no error of the API"), err)
				}
				seen = append(seen, results{"status": failure.StatusCode, "message": failure.ErrorMessage})
			}
			return seen, nil
		}},
		{"abort", func(ctx context.Context) (any, error) {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			hasStarted := false
			err := client.Chat(ctx, ask(endlessModel, "Tell me a story", true), func(api.ChatResponse) error {
				hasStarted = true
				cancel()
				return nil
			})
			if errors.Is(err, context.Canceled) {
				err = nil
			}
			return hasStarted, err
		}},
	}
}
