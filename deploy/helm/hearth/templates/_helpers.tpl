{{/* Pods of a StatefulSet have labels with its name and eleven characters more, of at most 63. */}}
{{- define "hearth.name" -}}
{{- $name := .Release.Name }}
{{- if not (contains "hearth" $name) }}{{ $name = printf "%s-hearth" $name }}{{ end }}
{{- $name | trunc 52 | trimSuffix "-" }}
{{- end }}

{{- define "hearth.selector" -}}
app.kubernetes.io/name: hearth
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "hearth.metadata" -}}
name: {{ include "hearth.name" . }}
namespace: {{ .Release.Namespace }}
labels:
  {{- include "hearth.selector" . | nindent 2 }}
  app.kubernetes.io/version: {{ .Chart.AppVersion | replace "+" "_" | quote }}
  app.kubernetes.io/managed-by: {{ .Release.Service }}
  helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version | replace "+" "_" }}
{{- end }}

{{/* The variable of a setting: models.ttlSeconds is HEARTH_MODELS_TTL_SECONDS. */}}
{{- define "hearth.variable" -}}
HEARTH_{{ regexReplaceAll "([a-z])([A-Z])" (replace "MiB" "Mib" .) "${1}_${2}" | replace "." "_" | upper }}
{{- end }}

{{/* The value of a variable: lists are separated by commas, objects are JSON. */}}
{{- define "hearth.value" -}}
{{- if kindIs "string" . }}{{ . }}{{ else if kindIs "slice" . }}{{ join "," . }}{{ else }}{{ toJson . }}{{ end }}
{{- end }}

{{- define "hearth.publicUrl" -}}
{{- if .Values.publicUrl }}{{ .Values.publicUrl }}
{{- else if and .Values.ingress.enabled .Values.ingress.hosts }}
{{- ternary "https" "http" (ne .Values.ingress.tlsSecret "") }}://{{ first .Values.ingress.hosts }}
{{- else if and .Values.route.enabled .Values.route.hostnames }}https://{{ first .Values.route.hostnames }}
{{- end }}
{{- end }}

{{/* What proxies send to the servers, which accept their paths with that of the public address. */}}
{{- define "hearth.path" -}}
{{- get (include "hearth.publicUrl" . | urlParse) "path" | trimSuffix "/" | default "/" }}
{{- end }}

{{/* All names in the Host header of requests. */}}
{{- define "hearth.allowedHosts" -}}
{{- $name := include "hearth.name" . }}
{{- $inNamespace := printf "%s.%s" $name .Release.Namespace }}
{{- $hosts := list $name $inNamespace (printf "%s.svc" $inNamespace) (printf "%s.svc.%s" $inNamespace .Values.clusterDomain) }}
{{- if .Values.ingress.enabled }}{{ $hosts = concat $hosts .Values.ingress.hosts }}{{ end }}
{{- if .Values.route.enabled }}{{ $hosts = concat $hosts .Values.route.hostnames }}{{ end }}
{{- concat $hosts .Values.allowedHosts | uniq | join "," }}
{{- end }}
