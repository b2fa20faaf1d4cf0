"""LangGraph."""

import openai
import pytest
from langchain_core.messages import HumanMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition


@tool
def get_tide(harbour: str) -> str:
    """Tide of a harbour"""
    return f'{{"harbour": "{harbour}", "tide": "high"}}'


@pytest.fixture
def connect(server: str):
    def graph(name: str = "hearth/starter-chat", tools=(), **options):
        model = ChatOpenAI(
            base_url=f"{server}/v1", api_key="any", model=name, temperature=0, max_retries=0, **options
        )
        if tools:
            model = model.bind_tools(tools)
        builder = StateGraph(MessagesState)
        builder.add_node("model", lambda state: {"messages": [model.invoke(state["messages"])]})
        builder.add_edge(START, "model")
        if tools:
            builder.add_node("tools", ToolNode(list(tools)))
            builder.add_conditional_edges("model", tools_condition)
            builder.add_edge("tools", "model")
        return builder.compile(checkpointer=InMemorySaver())

    return graph


THREAD = {"configurable": {"thread_id": "1"}}


def ask(graph, text: str) -> str:
    return graph.invoke({"messages": [HumanMessage(text)]}, THREAD)["messages"][-1].text


def test_chat_over_two_turns_of_a_thread(connect):
    graph = connect()
    ask(graph, "My name is Ada.")
    assert "Ada" in ask(graph, "What is my name?")


@pytest.mark.parametrize("responses", [False, True])
def test_stream_of_tokens(connect, responses: bool):
    question = {"messages": [HumanMessage("What is the capital of France?")]}
    parts = connect(use_responses_api=responses).stream(question, THREAD, stream_mode="messages")
    texts = [part.text for part, _ in parts]
    assert "Paris" in "".join(texts)
    assert len(texts) > 2


@pytest.mark.parametrize("responses", [False, True])
def test_tools_in_two_rounds(connect, responses: bool):
    graph = connect(tools=[get_tide], use_responses_api=responses)
    assert "high" in ask(graph, "Get the tide of Brest")
    roles = [each.type for each in graph.get_state(THREAD).values["messages"]]
    assert roles == ["human", "ai", "tool", "ai"]


def test_errors_and_long_context(connect):
    with pytest.raises(openai.NotFoundError):
        ask(connect("nobody/nothing"), "Hello!")
    with pytest.raises(openai.BadRequestError):
        ask(connect(), "word " * 20_000)
