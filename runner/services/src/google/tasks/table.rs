//! The API's methods and schemas.
//!
//! Identifiers, paths, parameters and schemas are those of Google's discovery
//! document `tasks:v1`; the descriptions are ours.

use super::{items, lists, movement};
use crate::google::method::{Api, Kind, Method, Param, Style, Verb};
use crate::google::schema::{Field, Schema, Shape};

const WRITE: &str = "https://www.googleapis.com/auth/tasks";
const READ: &str = "https://www.googleapis.com/auth/tasks.readonly";
const READERS: &[&str] = &[WRITE, READ];
const WRITERS: &[&str] = &[WRITE];

const LIST: Param = Param::path("tasklist", "Identifier of the task list, or @default.");
const TASK: Param = Param::path("task", "Identifier of the task.");
const PAGE_TOKEN: Param = Param::query(
    "pageToken",
    Kind::Text,
    "Token of the page to return, from the page before.",
);
const PARENT: Param = Param::query(
    "parent",
    Kind::Text,
    "Identifier of the task that this one is to be a subtask of; absent for the top level.",
);
const PREVIOUS: Param = Param::query(
    "previous",
    Kind::Text,
    "Identifier of the sibling that this task is to follow; absent for the first place.",
);

/// Google Tasks.
pub static API: Api = Api {
    name: "tasks",
    version: "v1",
    title: "Google Tasks API",
    description: "Manages the tasks and task lists of an account.",
    root_url: "https://tasks.googleapis.com/",
    service_path: "",
    batch_path: "batch",
    style: Style::Strict,
    scopes: &[
        (
            WRITE,
            "Create, edit, order and delete tasks and task lists.",
        ),
        (READ, "See tasks and task lists."),
    ],
    methods: METHODS,
    schemas: SCHEMAS,
};

const METHODS: &[Method] = &[
    Method {
        id: "tasks.tasklists.list",
        verb: Verb::Get,
        path: "tasks/v1/users/@me/lists",
        description: "Returns the task lists of the account, the default list first.",
        params: &[
            Param::query(
                "maxResults",
                Kind::Int32,
                "Most lists on a page: 1000, also the default.",
            ),
            PAGE_TOKEN,
        ],
        request: None,
        response: Some("TaskLists"),
        upload: None,
        scopes: READERS,
        handler: lists::list,
    },
    Method {
        id: "tasks.tasklists.get",
        verb: Verb::Get,
        path: "tasks/v1/users/@me/lists/{tasklist}",
        description: "Returns a task list.",
        params: &[LIST],
        request: None,
        response: Some("TaskList"),
        upload: None,
        scopes: READERS,
        handler: lists::get,
    },
    Method {
        id: "tasks.tasklists.insert",
        verb: Verb::Post,
        path: "tasks/v1/users/@me/lists",
        description: "Creates a task list. An account has at most 2000 of them.",
        params: &[],
        request: Some("TaskList"),
        response: Some("TaskList"),
        upload: None,
        scopes: WRITERS,
        handler: lists::insert,
    },
    Method {
        id: "tasks.tasklists.update",
        verb: Verb::Put,
        path: "tasks/v1/users/@me/lists/{tasklist}",
        description: "Replaces a task list. The body must have its id.",
        params: &[LIST],
        request: Some("TaskList"),
        response: Some("TaskList"),
        upload: None,
        scopes: WRITERS,
        handler: lists::update,
    },
    Method {
        id: "tasks.tasklists.patch",
        verb: Verb::Patch,
        path: "tasks/v1/users/@me/lists/{tasklist}",
        description: "Changes what the body names of a task list.",
        params: &[LIST],
        request: Some("TaskList"),
        response: Some("TaskList"),
        upload: None,
        scopes: WRITERS,
        handler: lists::patch,
    },
    Method {
        id: "tasks.tasklists.delete",
        verb: Verb::Delete,
        path: "tasks/v1/users/@me/lists/{tasklist}",
        description: "Deletes a task list with its tasks. The default list cannot be deleted.",
        params: &[LIST],
        request: None,
        response: None,
        upload: None,
        scopes: WRITERS,
        handler: lists::delete,
    },
    Method {
        id: "tasks.tasks.list",
        verb: Verb::Get,
        path: "tasks/v1/lists/{tasklist}/tasks",
        description: "Returns the tasks of a list. Their order is not that of their positions.",
        params: &[
            LIST,
            Param::query(
                "completedMax",
                Kind::Text,
                "Latest moment of completion, RFC 3339.",
            ),
            Param::query(
                "completedMin",
                Kind::Text,
                "Earliest moment of completion, RFC 3339.",
            ),
            Param::query(
                "dueMax",
                Kind::Text,
                "Moment, RFC 3339, before whose day a task must be due. Its time does not count.",
            ),
            Param::query(
                "dueMin",
                Kind::Text,
                "Moment, RFC 3339, on or after whose day a task must be due. Its time does not count.",
            ),
            Param::query(
                "maxResults",
                Kind::Int32,
                "Most tasks on a page: 20 by default, up to 100.",
            ),
            PAGE_TOKEN,
            Param::query(
                "showAssigned",
                Kind::Bool,
                "Whether assigned tasks are returned. Default: no.",
            ),
            Param::query(
                "showCompleted",
                Kind::Bool,
                "Whether completed tasks are returned. Default: yes. Those that were cleared need \
                 showHidden as well.",
            ),
            Param::query(
                "showDeleted",
                Kind::Bool,
                "Whether deleted tasks are returned. Default: no.",
            ),
            Param::query(
                "showHidden",
                Kind::Bool,
                "Whether hidden tasks are returned. Default: no.",
            ),
            Param::query(
                "updatedMin",
                Kind::Text,
                "Earliest moment of the last change, RFC 3339.",
            ),
        ],
        request: None,
        response: Some("Tasks"),
        upload: None,
        scopes: READERS,
        handler: items::list,
    },
    Method {
        id: "tasks.tasks.get",
        verb: Verb::Get,
        path: "tasks/v1/lists/{tasklist}/tasks/{task}",
        description: "Returns a task.",
        params: &[LIST, TASK],
        request: None,
        response: Some("Task"),
        upload: None,
        scopes: READERS,
        handler: items::get,
    },
    Method {
        id: "tasks.tasks.insert",
        verb: Verb::Post,
        path: "tasks/v1/lists/{tasklist}/tasks",
        description: "Creates a task in a list, at the first place unless previous says otherwise.",
        params: &[LIST, PARENT, PREVIOUS],
        request: Some("Task"),
        response: Some("Task"),
        upload: None,
        scopes: WRITERS,
        handler: items::insert,
    },
    Method {
        id: "tasks.tasks.update",
        verb: Verb::Put,
        path: "tasks/v1/lists/{tasklist}/tasks/{task}",
        description: "Replaces a task. The body must have its id; what it leaves out is emptied.",
        params: &[LIST, TASK],
        request: Some("Task"),
        response: Some("Task"),
        upload: None,
        scopes: WRITERS,
        handler: items::update,
    },
    Method {
        id: "tasks.tasks.patch",
        verb: Verb::Patch,
        path: "tasks/v1/lists/{tasklist}/tasks/{task}",
        description: "Changes what the body names of a task.",
        params: &[LIST, TASK],
        request: Some("Task"),
        response: Some("Task"),
        upload: None,
        scopes: WRITERS,
        handler: items::patch,
    },
    Method {
        id: "tasks.tasks.delete",
        verb: Verb::Delete,
        path: "tasks/v1/lists/{tasklist}/tasks/{task}",
        description: "Deletes a task and its subtasks.",
        params: &[LIST, TASK],
        request: None,
        response: None,
        upload: None,
        scopes: WRITERS,
        handler: items::delete,
    },
    Method {
        id: "tasks.tasks.move",
        verb: Verb::Post,
        path: "tasks/v1/lists/{tasklist}/tasks/{task}/move",
        description: "Moves a task to another place, below another task, or to another list.",
        params: &[
            LIST,
            TASK,
            Param::query(
                "destinationTasklist",
                Kind::Text,
                "Identifier of the list to move the task to, with its subtasks; absent: its own.",
            ),
            PARENT,
            PREVIOUS,
        ],
        request: None,
        response: Some("Task"),
        upload: None,
        scopes: WRITERS,
        handler: movement::run,
    },
    Method {
        id: "tasks.tasks.clear",
        verb: Verb::Post,
        path: "tasks/v1/lists/{tasklist}/clear",
        description: "Hides all completed tasks of a list. They are returned with showHidden only.",
        params: &[LIST],
        request: None,
        response: None,
        upload: None,
        scopes: WRITERS,
        handler: items::clear,
    },
];

const ETAG: Field = Field::new("etag", Shape::Text, "Tag of this version.");
const NEXT_PAGE: Field = Field::new(
    "nextPageToken",
    Shape::Text,
    "Token of the next page; absent on the last one.",
);

const SCHEMAS: &[Schema] = &[
    Schema {
        id: "AssignmentInfo",
        description: "Where an assigned task comes from.",
        fields: &[
            Field::output(
                "driveResourceInfo",
                Shape::Ref("DriveResourceInfo"),
                "The Drive file.",
            ),
            Field::output("linkToTask", Shape::Text, "Link to the original task."),
            Field::output("spaceInfo", Shape::Ref("SpaceInfo"), "The Chat space."),
            Field::output("surfaceType", Shape::Text, "Kind of place.").choices(&[
                ("CONTEXT_TYPE_UNSPECIFIED", "Unknown."),
                ("GMAIL", "Created from Gmail."),
                ("DOCUMENT", "Assigned in a document."),
                ("SPACE", "Assigned in a Chat space."),
            ]),
        ],
    },
    Schema {
        id: "DriveResourceInfo",
        description: "The Drive file that a task was assigned in.",
        fields: &[
            Field::output("driveFileId", Shape::Text, "Identifier of the file."),
            Field::output("resourceKey", Shape::Text, "Key that a shared link needs."),
        ],
    },
    Schema {
        id: "SpaceInfo",
        description: "The Chat space that a task was assigned in.",
        fields: &[Field::output(
            "space",
            Shape::Text,
            "Name of the space: spaces/{space}.",
        )],
    },
    Schema {
        id: "Task",
        description: "A task.",
        fields: &[
            Field::output(
                "assignmentInfo",
                Shape::Ref("AssignmentInfo"),
                "Who assigned it.",
            ),
            Field::new("completed", Shape::Text, "When it was completed, RFC 3339."),
            Field::new("deleted", Shape::Bool, "Whether it is deleted."),
            Field::new(
                "due",
                Shape::Text,
                "When it is due, RFC 3339. Only the day is kept.",
            ),
            ETAG,
            Field::new(
                "hidden",
                Shape::Bool,
                "Whether it was cleared after completion.",
            ),
            Field::new("id", Shape::Text, "Identifier."),
            Field::output("kind", Shape::Text, "Always tasks#task."),
            Field::output(
                "links",
                Shape::List(&Shape::Object(&[
                    Field::new("description", Shape::Text, "Text of the link."),
                    Field::new("link", Shape::Text, "Address."),
                    Field::new("type", Shape::Text, "Kind of link: email, generic, ..."),
                ])),
                "Links.",
            ),
            Field::new("notes", Shape::Text, "Notes, at most 8192 characters."),
            Field::output(
                "parent",
                Shape::Text,
                "Task above it. Changed by move only.",
            ),
            Field::output(
                "position",
                Shape::Text,
                "Place among its siblings: later ones sort after it. Changed by move only.",
            ),
            Field::output("selfLink", Shape::Text, "Address of the task in this API."),
            Field::new("status", Shape::Text, "needsAction or completed."),
            Field::new("title", Shape::Text, "Title, at most 1024 characters."),
            Field::output("updated", Shape::Text, "Last change, RFC 3339."),
            Field::output("webViewLink", Shape::Text, "Link to the task for people."),
        ],
    },
    Schema {
        id: "TaskList",
        description: "A task list.",
        fields: &[
            ETAG,
            Field::new("id", Shape::Text, "Identifier."),
            Field::output("kind", Shape::Text, "Always tasks#taskList."),
            Field::output("selfLink", Shape::Text, "Address of the list in this API."),
            Field::new("title", Shape::Text, "Title, at most 1024 characters."),
            Field::output("updated", Shape::Text, "Last change, RFC 3339."),
        ],
    },
    Schema {
        id: "TaskLists",
        description: "A page of task lists.",
        fields: &[
            ETAG,
            Field::new("items", Shape::List(&Shape::Ref("TaskList")), "The lists."),
            Field::new("kind", Shape::Text, "Always tasks#taskLists."),
            NEXT_PAGE,
        ],
    },
    Schema {
        id: "Tasks",
        description: "A page of tasks.",
        fields: &[
            ETAG,
            Field::new("items", Shape::List(&Shape::Ref("Task")), "The tasks."),
            Field::new("kind", Shape::Text, "Always tasks#tasks."),
            NEXT_PAGE,
        ],
    },
];
