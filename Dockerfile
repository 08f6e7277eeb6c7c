# Reckon on Debian: executable, library, module for Python, manuals and catalog.
#
#     docker build -t reckon .
#     docker run --rm reckon search -m llama3.1-70b -s h100-sxm5-80g -g 64 -b 256
#     docker run --rm -v "$PWD:/work" -w /work reckon predict -m config.json -s h100 -g 8 tp2 gbs64
FROM debian:12 AS build
COPY . /src
WORKDIR /src
RUN apt-get update && ./dev package /package

FROM debian:12-slim
COPY --from=build /package/*.deb /package/
RUN apt-get update && apt-get install -y --no-install-recommends python3 /package/reckon*.deb \
    && rm -rf /package /var/lib/apt/lists/*
ENTRYPOINT ["reckon"]
CMD ["--help"]
