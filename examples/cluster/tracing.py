"""Sends the spans of Ray Serve to the collector in OTEL_EXPORTER_OTLP_ENDPOINT, as Hearth does with its own."""

from opentelemetry.exporter.otlp.json.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import SpanProcessor
from opentelemetry.sdk.trace.export import BatchSpanProcessor


def to_collector() -> list[SpanProcessor]:
    return [BatchSpanProcessor(OTLPSpanExporter(), schedule_delay_millis=1000)]
