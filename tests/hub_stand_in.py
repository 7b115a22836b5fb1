"""A Hugging Face Hub of our own on localhost, for the real clients to talk to.

It keeps repositories on disk and answers the calls that `huggingface_hub`, `evaluate` and `datasets` make to create
a repository, push to it, tag it, read it and put it into a Collection. Point the clients at it with `HF_ENDPOINT`:

    with HubStandIn(directory, {"hf_secret": ["someone"]}) as hub:
        HfApi(endpoint=hub.url, token="hf_secret").create_repo("someone/questions", repo_type="dataset")

Files from 10 MB and Parquet go through Git LFS, as on the Hub; Xet, which the Hub has for the same files, is not
there, so clients that push such files need `HF_HUB_DISABLE_XET=1`.
"""

import base64
import json
import re
import socket
import threading
import time
from pathlib import Path
from typing import Any

import uvicorn
import yaml
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from tests.hub_repositories import Repositories, Repository, is_large, refusal, tree_entry

EPOCH = "2026-01-01T00:00:00.000Z"


class HubStandIn:
    """The server. Use it as a context manager.

    Args:
        directory: Where repositories are kept; a second stand-in on the same directory finds them.
        tokens: The namespaces that each token may write to, the user's own first.

    Attributes:
        url: Its address, for `HF_ENDPOINT`.
        requests: Method, path and status of each call answered so far.
        failures: Method and a pattern of paths (`re.search`), to the status and message to answer them with.
    """

    def __init__(self, directory: Path, tokens: dict[str, list[str]]) -> None:
        self.tokens = tokens
        self.requests: list[tuple[str, str, int]] = []
        self.failures: dict[tuple[str, str], tuple[int, str]] = {}
        self.collections: dict[str, dict[str, Any]] = {}
        self.repositories = Repositories(directory)

    def __enter__(self) -> "HubStandIn":
        listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        settings = uvicorn.Config(self.application(), log_level="error", lifespan="off", timeout_graceful_shutdown=1)
        self.server = uvicorn.Server(settings)
        self.thread = threading.Thread(target=self.server.run, args=([listener],), daemon=True)
        self.thread.start()
        while not self.server.started:
            time.sleep(0.01)
        return self

    def __exit__(self, *_: object) -> None:
        self.server.should_exit = True
        self.thread.join()

    def application(self) -> Starlette:
        """Build the table of addresses."""
        api = "/api/{kind}/{user}/{name}"
        routes = [
            Route("/api/whoami-v2", self.whoami),
            Route("/api/validate-yaml", self.validate_yaml, methods=["POST"]),
            Route("/api/repos/create", self.create, methods=["POST"]),
            Route("/api/collections", self.create_collection, methods=["POST"]),
            Route("/api/collections/{slug:path}/items", self.add_to_collection, methods=["POST"]),
            Route("/api/collections/{slug:path}", self.collection),
            Route(api + "/preupload/{revision:path}", self.preupload, methods=["POST"]),
            Route(api + "/commit/{revision:path}", self.commit, methods=["POST"]),
            Route(api + "/branch/{branch:path}", self.create_branch, methods=["POST"]),
            Route(api + "/tag/{revision:path}", self.create_tag, methods=["POST"]),
            Route(api + "/refs", self.refs),
            Route(api + "/revision/{revision:path}", self.info),
            Route(api + "/tree/{revision}", self.tree),
            Route(api + "/tree/{revision}/{path:path}", self.tree),
            Route(api + "/paths-info/{revision:path}", self.paths_info, methods=["POST"]),
            Route(api, self.info),
            Route("/{kind}/{user}/{name}.git/info/lfs/objects/batch", self.lfs_batch, methods=["POST"]),
            Route("/lfs/{oid}", self.lfs_upload, methods=["PUT"]),
            Route("/{kind}/{user}/{name}/resolve/{revision}/{path:path}", self.resolve),
        ]
        application = Starlette(routes=routes, exception_handlers={HTTPException: error_answer})
        application.add_middleware(BaseHTTPMiddleware, dispatch=self.log_and_fail)
        return application

    async def log_and_fail(self, request: Request, call_next: Any) -> Response:
        """Answer with a failure that was asked for, or pass the call on; keep a record of either."""
        for (method, pattern), (status, message) in self.failures.items():
            if request.method == method and re.search(pattern, request.url.path):
                echo = message.replace("{authorization}", request.headers.get("authorization", ""))
                is_page = message.startswith("<")
                response: Response = HTMLResponse(echo, status) if is_page else JSONResponse({"error": echo}, status)
                break
        else:
            response = await call_next(request)
        self.requests.append((request.method, request.url.path, response.status_code))
        return response

    def namespaces(self, request: Request) -> list[str]:
        """Return what the caller may write to, the caller's own name first."""
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        if token and token not in self.tokens:
            raise refusal(401, "Invalid credentials in Authorization header")
        return self.tokens.get(token, [])

    def repository(self, request: Request, *, write: bool = False) -> Repository:
        """Return the repository that an address names, if the caller may read it or write to it."""
        user, kind = request.path_params["user"], request.path_params["kind"]
        found = self.repositories.all.get((kind, f"{user}/{request.path_params['name']}"))
        owner = user in self.namespaces(request)
        if found is None or (found.private and not owner):
            raise refusal(404 if self.namespaces(request) else 401, "Repository not found", "RepoNotFound")
        if write and not owner:
            raise refusal(403, "You don't have the required permissions to write to this repo")
        return found

    async def whoami(self, request: Request) -> Response:
        """GET /api/whoami-v2."""
        namespaces = self.namespaces(request)
        if not namespaces:
            raise refusal(401, "Invalid username or password.")
        return JSONResponse(
            {"type": "user", "name": namespaces[0], "orgs": [{"name": name} for name in namespaces[1:]]}
        )

    async def validate_yaml(self, request: Request) -> Response:
        """POST /api/validate-yaml."""
        block = re.match(r"---\n(.*?)\n---", (await request.json())["content"], re.DOTALL)
        try:
            yaml.safe_load(block[1] if block else "")
        except yaml.YAMLError as error:
            return JSONResponse({"errors": [{"message": str(error)}], "warnings": []}, 400)
        return JSONResponse({"errors": [], "warnings": []})

    async def create(self, request: Request) -> Response:
        """POST /api/repos/create."""
        asked = await request.json()
        namespaces = self.namespaces(request)
        if not namespaces:
            raise refusal(401, "Invalid username or password.")
        user = asked["organization"] or namespaces[0]
        if user not in namespaces:
            raise refusal(403, f"You don't have the rights to create a {asked['type']} under the namespace {user!r}")
        kind, repo_id = f"{asked['type']}s", f"{user}/{asked['name']}"
        answer = {"url": f"{self.url}/{kind}/{repo_id}", "name": repo_id}
        if (kind, repo_id) in self.repositories.all:
            return JSONResponse({"error": "You already created this repo", **answer}, 409)
        repository = Repository(repo_id, kind, asked.get("visibility") == "private", asked.get("sdk"))
        repository.commit(
            "main", {".gitattributes": self.repositories.store(b"*.parquet filter=lfs\n")}, "initial commit"
        )
        self.repositories.save(repository)
        return JSONResponse(answer)

    async def preupload(self, request: Request) -> Response:
        """POST …/preupload/REVISION: which files go through LFS, and what the Hub has of each."""
        repository = self.repository(request, write=True)
        present = repository.commits[repository.find(request.path_params["revision"])]
        files = [
            {
                "path": file["path"],
                "uploadMode": "lfs" if is_large(file["path"], file["size"]) else "regular",
                "shouldIgnore": False,
                "oid": present.get(file["path"], {}).get("oid"),
            }
            for file in (await request.json())["files"]
        ]
        return JSONResponse({"files": files})

    async def commit(self, request: Request) -> Response:
        """POST …/commit/REVISION: one line of JSON for the header and for each operation."""
        repository = self.repository(request, write=True)
        branch = request.path_params["revision"]
        files = dict(repository.commits[repository.find(branch)])
        title = ""
        for line in (await request.body()).splitlines():
            operation = json.loads(line)
            value = operation["value"]
            match operation["key"]:
                case "header":
                    title = value["summary"]
                case "file":
                    files[value["path"]] = self.repositories.store(base64.b64decode(value["content"]))
                case "lfsFile":
                    if not (self.repositories.blobs / value["oid"]).is_file():
                        raise refusal(400, f"LFS object {value['oid']} was not uploaded")
                    files[value["path"]] = {"oid": value["oid"], "size": value["size"], "lfs": True}
                case "deletedFile" if value["path"] in files:
                    del files[value["path"]]
                case key:
                    raise refusal(400, f"cannot do {key} to {value['path']}")
        oid = repository.commit(branch, files, title)
        self.repositories.save(repository)
        url = f"{self.url}/{repository.kind}/{repository.repo_id}/commit/{oid}"
        return JSONResponse({"success": True, "commitOid": oid, "commitUrl": url})

    async def create_branch(self, request: Request) -> Response:
        """POST …/branch/NAME."""
        repository = self.repository(request, write=True)
        start = (await request.json() if await request.body() else {}).get("startingPoint", "main")
        return self.point(repository, repository.branches, request.path_params["branch"], start)

    async def create_tag(self, request: Request) -> Response:
        """POST …/tag/REVISION."""
        repository = self.repository(request, write=True)
        tag = (await request.json())["tag"]
        return self.point(repository, repository.tags, tag, request.path_params["revision"])

    def point(self, repository: Repository, references: dict[str, str], name: str, revision: str) -> Response:
        """Make a branch or a tag, which must be new."""
        if name in references:
            raise refusal(409, f"Reference {name} exists already")
        references[name] = repository.find(revision)
        self.repositories.save(repository)
        return JSONResponse({"success": True})

    async def refs(self, request: Request) -> Response:
        """GET …/refs."""
        repository = self.repository(request)
        answer: dict[str, list[dict[str, str]]] = {"converts": []}
        for key, folder, references in (("branches", "heads", repository.branches), ("tags", "tags", repository.tags)):
            answer[key] = [
                {"name": name, "ref": f"refs/{folder}/{name}", "targetCommit": oid} for name, oid in references.items()
            ]
        return JSONResponse(answer)

    async def info(self, request: Request) -> Response:
        """GET a repository, at a revision or at `main`."""
        repository = self.repository(request)
        oid = repository.find(request.path_params.get("revision", "main"))
        answer = {
            "id": repository.repo_id,
            "author": repository.repo_id.split("/")[0],
            "sha": oid,
            "private": repository.private,
            "gated": False,
            "disabled": False,
            "sdk": repository.sdk,
            "tags": [],
            "likes": 0,
            "downloads": 0,
            "createdAt": EPOCH,
            "lastModified": EPOCH,
            "siblings": [{"rfilename": path} for path in repository.commits[oid]],
        }
        return JSONResponse(answer)

    async def tree(self, request: Request) -> Response:
        """GET …/tree/REVISION, of the whole repository or of one of its folders."""
        repository = self.repository(request)
        files = repository.commits[repository.find(request.path_params["revision"])]
        folder = request.path_params.get("path", "")
        prefix = f"{folder}/" if folder else ""
        recursive = request.query_params.get("recursive", "").lower() == "true"
        entries = {}
        for path, file in sorted(files.items()):
            if not path.startswith(prefix):
                continue
            parts = path[len(prefix) :].split("/")
            for depth in range(1, len(parts) if recursive else min(len(parts), 2)):
                name = prefix + "/".join(parts[:depth])
                entries[name] = {"type": "directory", "path": name, "oid": "0" * 40, "size": 0}
            if recursive or len(parts) == 1:
                entries[path] = tree_entry(path, file)
        if folder and not entries:
            raise refusal(404, f"{folder} does not exist", "EntryNotFound")
        return JSONResponse(list(entries.values()))

    async def paths_info(self, request: Request) -> Response:
        """POST …/paths-info/REVISION: the entries of the files asked for that are there."""
        repository = self.repository(request)
        files = repository.commits[repository.find(request.path_params["revision"])]
        is_json = "json" in request.headers.get("content-type", "")
        paths = (await request.json())["paths"] if is_json else (await request.form()).getlist("paths")
        return JSONResponse([tree_entry(path, files[path]) for path in paths if path in files])

    async def lfs_batch(self, request: Request) -> Response:
        """POST ….git/info/lfs/objects/batch: where to upload the objects that are not here yet."""
        self.repository(request, write=True)
        objects = []
        for wanted in (await request.json())["objects"]:
            upload = {"actions": {"upload": {"href": f"{self.url}/lfs/{wanted['oid']}"}}}
            present = (self.repositories.blobs / wanted["oid"]).is_file()
            objects.append(wanted if present else {**wanted, **upload})
        return JSONResponse({"transfer": "basic", "objects": objects})

    async def lfs_upload(self, request: Request) -> Response:
        """PUT /lfs/OID."""
        stored = self.repositories.store(await request.body(), lfs=True)
        if stored["oid"] != request.path_params["oid"]:
            raise refusal(400, "the content does not have the announced SHA-256")
        return Response()

    async def resolve(self, request: Request) -> Response:
        """GET or HEAD …/resolve/REVISION/PATH: a file's content, and in the headers its commit and checksum."""
        repository = self.repository(request)
        oid = repository.find(request.path_params["revision"])
        file = repository.commits[oid].get(request.path_params["path"])
        if file is None:
            raise refusal(404, "Entry not found", "EntryNotFound")
        headers = {"ETag": f'"{file["oid"]}"', "X-Repo-Commit": oid}
        return FileResponse(self.repositories.blobs / file["oid"], headers=headers, media_type="text/plain")

    async def create_collection(self, request: Request) -> Response:
        """POST /api/collections."""
        asked = await request.json()
        if asked["namespace"] not in self.namespaces(request):
            raise refusal(403, "You don't have the rights to create a collection there")
        slug = f"{asked['namespace']}/{re.sub('[^a-z0-9]+', '-', asked['title'].lower())}-0123456789abcdef01234567"
        if slug in self.collections:
            return JSONResponse({"error": "You have a collection of that title", "slug": slug}, 409)
        self.collections[slug] = {
            "slug": slug,
            "title": asked["title"],
            "owner": {"name": asked["namespace"]},
            "private": asked["private"],
            "items": [],
            "lastUpdated": EPOCH,
            "position": 0,
            "theme": "green",
            "upvotes": 0,
        }
        return JSONResponse(self.collections[slug])

    async def collection(self, request: Request) -> Response:
        """GET /api/collections/SLUG."""
        found = self.collections.get(request.path_params["slug"])
        if found is None:
            raise refusal(404, "Collection not found")
        return JSONResponse(found)

    async def add_to_collection(self, request: Request) -> Response:
        """POST /api/collections/SLUG/items."""
        collection = self.collections[request.path_params["slug"]]
        if collection["owner"]["name"] not in self.namespaces(request):
            raise refusal(403, "You don't have the rights to change this collection")
        item = (await request.json())["item"]
        if (f"{item['type']}s", item["id"]) not in self.repositories.all:
            raise refusal(404, f"No {item['type']} {item['id']}")
        if any((present["type"], present["id"]) == (item["type"], item["id"]) for present in collection["items"]):
            raise refusal(409, "The item is in the collection already")
        position = len(collection["items"])
        collection["items"].append({"_id": f"{position:024x}", "position": position, **item})
        return JSONResponse(collection)


async def error_answer(_: Request, error: Exception) -> Response:
    """Answer with an error as the Hub does: the message as JSON, the kind in the headers."""
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": error.detail}, error.status_code, error.headers)
