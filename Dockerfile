# Both bases can be any image of Debian 12; the first has a Swift toolchain on PATH.
ARG BUILDER_BASE=docker.io/library/swift:6.3-bookworm
ARG RUNTIME_BASE=docker.io/library/debian:bookworm-slim

FROM ${BUILDER_BASE} AS builder
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        g++ pkg-config libmicrohttpd-dev libcurl4-openssl-dev libuv1-dev libsimdjson-dev libsqlite3-dev libhiredis-dev \
    && apt-get clean \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY Package.swift ./
COPY Sources Sources
# Not built here, but the manifest names their folders.
COPY Tests Tests
COPY Fuzzing Fuzzing
RUN swift build -c release --static-swift-stdlib --product paginatord \
    && install -D -s "$(swift build -c release --static-swift-stdlib --show-bin-path)/paginatord" /image/usr/local/bin/paginatord

FROM ${RUNTIME_BASE}
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        ca-certificates libmicrohttpd12 libcurl4 libuv1 libsimdjson14 libsqlite3-0 libhiredis0.14 \
    && apt-get clean \
    && rm -rf /var/lib/apt/lists/* \
    && groupadd --gid 10001 paginatord \
    && useradd --uid 10001 --gid 10001 --no-log-init --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin paginatord
# For a volume: what is in the image's own layer ends with the container.
RUN install -d -o 10001 -g 10001 -m 0700 /var/lib/paginatord
COPY --from=builder /image/ /
COPY config/demo.json5 /etc/paginatord/demo.json5
LABEL org.opencontainers.image.title="paginatord" \
    org.opencontainers.image.description="Pages through the tables of a ServiceNow instance over HTTP" \
    org.opencontainers.image.licenses="Apache-2.0" \
    org.opencontainers.image.version="0.1.0"
USER 10001:10001
# A variable and not an option, so that the health check, which knows the environment only, asks where the service is.
ENV PAGINATORD_LISTEN=:8080
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s CMD ["/usr/local/bin/paginatord", "healthcheck"]
ENTRYPOINT ["/usr/local/bin/paginatord"]
# The demo, which alone is open to whoever reaches the port: with records of an instance, serve wants an access token.
CMD ["serve", "--demo", "--config", "/etc/paginatord/demo.json5"]
