package main

import (
	"context"
	"errors"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"
)

func openAiPaths(server string) []path {
	client := openai.NewClient(
		option.WithBaseURL(server+"/v1"), option.WithAPIKey("any-word"), option.WithMaxRetries(0))
	ask := func(model string, text string) openai.ChatCompletionNewParams {
		return openai.ChatCompletionNewParams{
			Model:       model,
			Temperature: openai.Float(0),
			Messages:    []openai.ChatCompletionMessageParamUnion{openai.UserMessage(text)},
		}
	}
	return []path{
		{"models", func(ctx context.Context) (any, error) {
			names := []string{}
			pages := client.Models.ListAutoPaging(ctx)
			for pages.Next() {
				names = append(names, pages.Current().ID)
			}
			return names, pages.Err()
		}},
		{"chat", func(ctx context.Context) (any, error) {
			whole, err := client.Chat.Completions.New(ctx, ask(chatModel, question))
			if err != nil {
				return nil, err
			}
			return results{"text": whole.Choices[0].Message.Content, "tokens": whole.Usage.CompletionTokens}, nil
		}},
		{"stream", func(ctx context.Context) (any, error) {
			request := ask(chatModel, question)
			request.StreamOptions.IncludeUsage = openai.Bool(true)
			whole := openai.ChatCompletionAccumulator{}
			stream := client.Chat.Completions.NewStreaming(ctx, request)
			for stream.Next() {
				whole.AddChunk(stream.Current())
			}
			if stream.Err() != nil {
				return nil, stream.Err()
			}
			return results{"text": whole.Choices[0].Message.Content, "tokens": whole.Usage.CompletionTokens}, nil
		}},
		{"tools", func(ctx context.Context) (any, error) {
			request := ask(chatModel, toolRequest)
			request.Tools = []openai.ChatCompletionToolUnionParam{
				openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
					Name: "get_tide", Description: openai.String("Tide of a harbour"), Parameters: tideSchema,
				})}
			first, err := client.Chat.Completions.New(ctx, request)
			if err != nil {
				return nil, err
			}
			message := first.Choices[0].Message
			call := message.ToolCalls[0]
			request.Messages = append(request.Messages, message.ToParam(), openai.ToolMessage(toolResult, call.ID))
			second, err := client.Chat.Completions.New(ctx, request)
			if err != nil {
				return nil, err
			}
			arguments, err := parse(call.Function.Arguments)
			return results{"name": call.Function.Name, "arguments": arguments,
				"text": second.Choices[0].Message.Content}, err
		}},
		{"structured output", func(ctx context.Context) (any, error) {
			request := ask(chatModel, "What is 2 + 3?")
			request.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{
				JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{
					Name: "sum", Strict: openai.Bool(true), Schema: sumSchema}}
			whole, err := client.Chat.Completions.New(ctx, request)
			if err != nil {
				return nil, err
			}
			return parse(whole.Choices[0].Message.Content)
		}},
		{"embeddings", func(ctx context.Context) (any, error) {
			response, err := client.Embeddings.New(ctx, openai.EmbeddingNewParams{
				Model: embedModel, Input: openai.EmbeddingNewParamsInputUnion{OfArrayOfStrings: texts}})
			if err != nil {
				return nil, err
			}
			sizes := []int{}
			for _, each := range response.Data {
				sizes = append(sizes, len(each.Embedding))
			}
			return sizes, nil
		}},
		{"responses", func(ctx context.Context) (any, error) {
			stream := client.Responses.NewStreaming(ctx, responses.ResponseNewParams{
				Model:       chatModel,
				Temperature: openai.Float(0),
				Input:       responses.ResponseNewParamsInputUnion{OfString: openai.String(question)},
			})
			streamed := ""
			whole := responses.Response{}
			for stream.Next() {
				event := stream.Current()
				if event.Type == "response.output_text.delta" {
					streamed += event.Delta
				}
				if event.Type == "response.completed" {
					whole = event.Response
				}
			}
			return results{"streamed": streamed, "text": whole.OutputText()}, stream.Err()
		}},
		{"errors with a long context", func(ctx context.Context) (any, error) {
			hot := ask(chatModel, question)
			hot.Temperature = openai.Float(3)
			seen := []any{}
			for _, request := range []openai.ChatCompletionNewParams{
				ask("nobody/nothing", question), hot, ask(chatModel, tooLong)} {
				_, err := client.Chat.Completions.New(ctx, request)
				failure := &openai.Error{}
				if !errors.As(err, &failure) {
					return nil, errors.Join(errors.New("no error of the API"), err)
				}
				seen = append(seen, results{
					"status": failure.StatusCode, "code": failure.Code, "param": failure.Param})
			}
			return seen, nil
		}},
		{"abort", func(ctx context.Context) (any, error) {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			stream := client.Chat.Completions.NewStreaming(ctx, ask(endlessModel, "Tell me a story"))
			if !stream.Next() {
				return nil, stream.Err()
			}
			cancel()
			for stream.Next() {
			}
			return errors.Is(stream.Err(), context.Canceled), nil
		}},
	}
}
