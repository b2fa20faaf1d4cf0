package main

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
)

func anthropicPaths(server string) []path {
	client := anthropic.NewClient(
		option.WithBaseURL(server), option.WithAPIKey("any-word"), option.WithMaxRetries(0))
	ask := func(model string, text string) anthropic.MessageNewParams {
		return anthropic.MessageNewParams{
			Model:       model,
			MaxTokens:   512,
			Temperature: anthropic.Float(0),
			Messages:    []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(text))},
		}
	}
	see := func(message anthropic.Message) results {
		text := ""
		for _, block := range message.Content {
			text += block.Text
		}
		return results{"text": text, "tokens": message.Usage.OutputTokens}
	}
	return []path{
		{"models", func(ctx context.Context) (any, error) {
			names := []string{}
			pages := client.Models.ListAutoPaging(ctx, anthropic.ModelListParams{})
			for pages.Next() {
				names = append(names, pages.Current().ID)
			}
			return names, pages.Err()
		}},
		{"chat", func(ctx context.Context) (any, error) {
			whole, err := client.Messages.New(ctx, ask(chatModel, question))
			if err != nil {
				return nil, err
			}
			return see(*whole), nil
		}},
		{"stream", func(ctx context.Context) (any, error) {
			whole := anthropic.Message{}
			stream := client.Messages.NewStreaming(ctx, ask(chatModel, question))
			for stream.Next() {
				if err := whole.Accumulate(stream.Current()); err != nil {
					return nil, err
				}
			}
			return see(whole), stream.Err()
		}},
		{"tools", func(ctx context.Context) (any, error) {
			request := ask(chatModel, toolRequest)
			request.Tools = []anthropic.ToolUnionParam{{OfTool: &anthropic.ToolParam{
				Name: "get_tide", Description: anthropic.String("Tide of a harbour"),
				InputSchema: anthropic.ToolInputSchemaParam{
					Properties: tideSchema["properties"], Required: []string{"harbour"}},
			}}}
			first, err := client.Messages.New(ctx, request)
			if err != nil {
				return nil, err
			}
			request.Messages = append(request.Messages, first.ToParam())
			for _, block := range first.Content {
				if block.Type != "tool_use" {
					continue
				}
				request.Messages = append(request.Messages, anthropic.NewUserMessage(
					anthropic.NewToolResultBlock(block.ID, toolResult, false)))
				second, err := client.Messages.New(ctx, request)
				if err != nil {
					return nil, err
				}
				seen := see(*second)
				seen["name"], seen["arguments"] = block.Name, block.Input
				return seen, nil
			}
			return nil, errors.New("no call")
		}},
		{"structured output", func(ctx context.Context) (any, error) {
			request := ask(chatModel, "What is 2 + 3?")
			request.OutputConfig.Format.Schema = sumSchema
			whole, err := client.Messages.New(ctx, request)
			if err != nil {
				return nil, err
			}
			return parse(see(*whole)["text"].(string))
		}},
		{"counted tokens", func(ctx context.Context) (any, error) {
			request := ask(chatModel, question)
			whole, err := client.Messages.New(ctx, request)
			if err != nil {
				return nil, err
			}
			counted, err := client.Messages.CountTokens(ctx, anthropic.MessageCountTokensParams{
				Model: chatModel, Messages: request.Messages})
			if err != nil {
				return nil, err
			}
			return []int64{counted.InputTokens, whole.Usage.InputTokens}, nil
		}},
		{"errors with a long context", func(ctx context.Context) (any, error) {
			hot := ask(chatModel, question)
			hot.Temperature = anthropic.Float(3)
			seen := []any{}
			for _, request := range []anthropic.MessageNewParams{
				ask("nobody/nothing", question), hot, ask(chatModel, tooLong)} {
				_, err := client.Messages.New(ctx, request)
				failure := &anthropic.Error{}
				if !errors.As(err, &failure) {
					return nil, errors.Join(errors.New("no error of the API"), err)
				}
				body := struct {
					Error struct{ Type, Message string }
				}{}
				if err := json.Unmarshal([]byte(failure.RawJSON()), &body); err != nil {
					return nil, err
				}
				seen = append(seen, results{
					"status": failure.StatusCode, "type": body.Error.Type, "message": body.Error.Message})
			}
			return seen, nil
		}},
		{"abort", func(ctx context.Context) (any, error) {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			request := ask(endlessModel, "Tell me a story")
			request.MaxTokens = 60_000
			stream := client.Messages.NewStreaming(ctx, request)
			for stream.Next() {
				if stream.Current().Type == "content_block_delta" {
					cancel()
				}
			}
			return errors.Is(stream.Err(), context.Canceled), nil
		}},
	}
}
